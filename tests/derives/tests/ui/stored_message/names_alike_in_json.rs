use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    side_a: String,
    #[stored(tag = 2)]
    side__a: String,
}

fn main() {}
