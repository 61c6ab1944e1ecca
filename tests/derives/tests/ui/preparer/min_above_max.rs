#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(min = 10, max = 1)]
    a: u32,
}

resource!(Test);

fn main() {}
