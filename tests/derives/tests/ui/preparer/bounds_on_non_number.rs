#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(min = 1)]
    a: String,
    /// The b.
    #[hcl(max = 1)]
    b: bool,
}

resource!(Test);

fn main() {}
