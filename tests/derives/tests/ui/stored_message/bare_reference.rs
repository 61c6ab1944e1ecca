use converge_controller::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, converge_controller::StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Artist {}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    artist: converge_controller::Ref<Artist>,
}

fn main() {}
