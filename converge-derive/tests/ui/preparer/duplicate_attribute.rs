#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required, required)]
    user: String,
    #[hcl(min = 1)]
    #[hcl(min = 2)]
    uid: u32,
}

resource!(Test);

fn main() {}
