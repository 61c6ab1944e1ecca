#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(min = -1)]
    a: u32,
    /// The b.
    #[hcl(max = 256)]
    b: u8,
}

resource!(Test);

fn main() {}
