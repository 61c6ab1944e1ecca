use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "Demo.v1")]
struct Track {
    #[stored(tag = 1)]
    name: String,
}

fn main() {}
