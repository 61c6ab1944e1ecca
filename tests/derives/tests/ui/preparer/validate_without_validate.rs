#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, validate)]
struct Test {
    /// A user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
