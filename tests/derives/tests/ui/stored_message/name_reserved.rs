use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2", reserved_names("name"))]
struct Track {
    #[stored(tag = 1)]
    name: String,
}

fn main() {}
