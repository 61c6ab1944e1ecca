use converge_controller::authorize::{Access, Authorizer};
use converge_controller::{Id, StoredResource, Typed};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, authorize(raed = read, delete = read, read = read, read = read, read), validate = "check")]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

fn read(_: &dyn Authorizer, _: &Id, _: Option<&Typed<Album>>) -> Access {
    Access::Allow
}

fn main() {}
