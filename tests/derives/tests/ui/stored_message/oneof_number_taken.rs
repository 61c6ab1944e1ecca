use converge_controller::{StoredMessage, StoredOneof};

#[derive(Clone, Debug, PartialEq, StoredOneof)]
enum Source {
    #[stored(tag = 2)]
    Text(String),
    #[stored(tag = 3)]
    Url(String),
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 3)]
    title: String,
    #[stored(oneof(2, 3))]
    source: Option<Source>,
}

fn main() {}
