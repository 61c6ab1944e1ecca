use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tagg = 1)]
    name: String,
    #[stored(number = 2)]
    length: u32,
    #[stored(scope = cluster, tag = 3)]
    artist: String,
}

fn main() {}
