#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The mode.
    #[hcl(base = 8)]
    mode: String,
}

resource!(Test);

fn main() {}
