use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 19000)]
    name: String,
    #[stored(tag = 19999)]
    length: u32,
}

fn main() {}
