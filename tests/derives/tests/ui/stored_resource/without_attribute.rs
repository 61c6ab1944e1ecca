use converge_controller::StoredResource;

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored]
struct Artist {
    #[stored(tag = 1)]
    name: String,
}

fn main() {}
