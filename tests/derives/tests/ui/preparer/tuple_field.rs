#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The ports, from and to.
    ports: (u16, u16),
}

resource!(Test);

fn main() {}
