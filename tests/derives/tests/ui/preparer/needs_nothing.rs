#[path = "../support.rs"]
mod support;
use support::*;

struct Store;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, needs)]
struct Test {
    /// The user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
