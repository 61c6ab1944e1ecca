#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    password: Option<Secret<String>>,
}

resource!(Test);

fn main() {}
