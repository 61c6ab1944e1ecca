use converge_controller::validation::Invalid;
use converge_controller::StoredResource;

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, validate = Album::check)]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

impl Album {
    fn check(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

fn main() {}
