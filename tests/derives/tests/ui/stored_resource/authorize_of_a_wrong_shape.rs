use converge_controller::authorize::{Access, Authorizer};
use converge_controller::{Id, StoredResource, Typed};

#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "demo", version = "v2", scope = namespace, authorize(read = read, write = write, list = list))]
struct Album {
    #[stored(tag = 1)]
    title: String,
}

fn read(_: &dyn Authorizer, _: &Id) -> Access {
    Access::Allow
}

fn write(_: &dyn Authorizer, _: &Typed<Album>) -> bool {
    true
}

fn list(_: &dyn Authorizer, _: &Id) -> Access {
    Access::Allow
}

fn main() {}
