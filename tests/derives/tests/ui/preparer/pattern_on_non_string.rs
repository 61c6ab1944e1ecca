#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(pattern = "^[0-9]+$")]
    a: u32,
}

resource!(Test);

fn main() {}
