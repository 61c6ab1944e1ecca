use converge_controller::StoredMessage;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, converge_controller::StoredEnum)]
#[stored(group = "demo", version = "v2")]
enum Genre {
    Unspecified = 0,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: BTreeMap<Genre, u32>,
}

fn main() {}
