use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2", reserved(2, 5..=7))]
struct Track {
    #[stored(tag = 2)]
    name: String,
    #[stored(tag = 6)]
    length: u32,
}

fn main() {}
