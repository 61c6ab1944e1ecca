use converge_controller::StoredResource;

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = demo, version = v2, scope = namespace)]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

fn main() {}
