use converge_controller::StoredMessage;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: BTreeMap<f64, u32>,
    #[stored(tag = 2)]
    b: BTreeMap<Vec<u8>, u32>,
    #[stored(tag = 3)]
    c: BTreeMap<u16, u32>,
    #[stored(tag = 4)]
    d: BTreeMap<(u32, u32), u32>,
}

fn main() {}
