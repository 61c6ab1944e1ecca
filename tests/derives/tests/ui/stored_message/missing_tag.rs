use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2", reserved(5))]
struct Track {
    #[stored(tag = 3)]
    name: String,
    length: u32,
    #[stored()]
    artist: String,
}

fn main() {}
