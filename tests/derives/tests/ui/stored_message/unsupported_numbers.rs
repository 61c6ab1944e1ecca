use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: usize,
    #[stored(tag = 2)]
    b: isize,
    #[stored(tag = 3)]
    c: u8,
    #[stored(tag = 4)]
    d: i16,
    #[stored(tag = 5)]
    e: u128,
    #[stored(tag = 6)]
    f: char,
}

fn main() {}
