#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    user: &'static str,
}

resource!(Test);

fn main() {}
