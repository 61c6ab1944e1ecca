#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    #[hcl(required, required)]
    user: String,
    /// The uid.
    #[hcl(min = 1)]
    #[hcl(min = 2)]
    uid: u32,
}

resource!(Test);

fn main() {}
