use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq)]
struct Artist {
    name: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    artist: Artist,
    #[stored(tag = 2)]
    guests: Vec<Artist>,
}

fn main() {}
