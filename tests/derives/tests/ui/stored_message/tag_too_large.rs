use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 536870912)]
    name: String,
    #[stored(tag = 18446744073709551615)]
    length: u32,
}

fn main() {}
