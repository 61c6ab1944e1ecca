#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The password.
    password: Option<Secret<String>>,
}

resource!(Test);

fn main() {}
