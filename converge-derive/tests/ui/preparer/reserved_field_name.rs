#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    depends: Vec<String>,
}

resource!(Test);

fn main() {}
