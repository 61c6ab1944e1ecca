#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(base = 1)]
    a: u32,
    /// The b.
    #[hcl(base = 37)]
    b: u32,
    /// The c.
    #[hcl(base = 8.5)]
    c: u32,
}

resource!(Test);

fn main() {}
