use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "demo", group = "demo", version = "v1")]
struct Track {
    #[stored(tag = 1)]
    name: String,
}

fn main() {}
