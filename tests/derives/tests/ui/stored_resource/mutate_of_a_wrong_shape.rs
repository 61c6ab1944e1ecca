use converge_controller::registry::Cause;
use converge_controller::{StoredResource, Typed};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, mutate = defaults)]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

fn defaults(_: &Typed<Album>) -> Result<(), Cause> {
    Ok(())
}

fn main() {}
