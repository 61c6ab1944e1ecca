#[path = "../support.rs"]
mod support;
use support::*;

struct Store(std::cell::Cell<u8>);

#[derive(Preparer)]
#[preparer(name = "test", task = Done, needs = Store)]
struct Test {
    /// The user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
