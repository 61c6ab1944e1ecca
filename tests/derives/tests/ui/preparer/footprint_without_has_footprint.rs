#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, footprint)]
struct Test {
    /// The destination.
    destination: Option<String>,
}

resource!(Test);

fn main() {}
