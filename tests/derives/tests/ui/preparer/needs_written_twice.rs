#[path = "../support.rs"]
mod support;
use support::*;

struct Store;

struct Clock;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, needs = Store, needs = Clock)]
struct Test {
    /// The user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
