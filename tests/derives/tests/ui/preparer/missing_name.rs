#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(task = Done)]
struct Test {
    /// The user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
