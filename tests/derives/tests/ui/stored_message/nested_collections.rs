use converge_controller::StoredMessage;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: Vec<Vec<String>>,
    #[stored(tag = 2)]
    b: Option<Vec<String>>,
    #[stored(tag = 3)]
    c: Vec<Option<u32>>,
    #[stored(tag = 4)]
    d: BTreeMap<String, Vec<u32>>,
    #[stored(tag = 5)]
    e: Option<Option<u32>>,
    #[stored(tag = 6)]
    f: Option<BTreeMap<String, u32>>,
    #[stored(tag = 7)]
    g: Vec<BTreeMap<String, u32>>,
}

fn main() {}
