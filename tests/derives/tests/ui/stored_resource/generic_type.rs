use converge_controller::StoredResource;

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace)]
struct Album<T: Clone> {
    #[stored(tag = 1)]
    title: T,
}

fn main() {}
