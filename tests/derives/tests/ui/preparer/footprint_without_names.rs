#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The destination.
    #[hcl(manages = "path")]
    destination: bool,
}

resource!(Test);

fn main() {}
