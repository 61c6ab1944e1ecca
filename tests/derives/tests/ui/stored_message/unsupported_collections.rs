use converge_controller::StoredMessage;
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(group = "demo", version = "v2")]
struct Track {
    #[stored(tag = 1)]
    a: HashMap<String, u32>,
    #[stored(tag = 2)]
    b: BTreeSet<String>,
}

fn main() {}
