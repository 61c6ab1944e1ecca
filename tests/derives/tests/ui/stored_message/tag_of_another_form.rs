use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = "1")]
    name: String,
    #[stored(tag = -1)]
    length: u32,
}

fn main() {}
