use converge_controller::StoredMessage;

#[allow(non_snake_case)]
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    Name: String,
    #[stored(tag = 2)]
    _length: u32,
    #[stored(tag = 3)]
    größe: u32,
}

fn main() {}
