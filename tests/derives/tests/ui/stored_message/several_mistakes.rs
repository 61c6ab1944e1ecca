use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "Demo", vresion = "v2")]
struct Track {
    #[stored(tag = 0)]
    name: String,
    #[stored(tga = 2)]
    length: usize,
    artist: Vec<Vec<String>>,
}

fn main() {}
