#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, refresh = true)]
struct Test {
    user: Option<String>,
}

resource!(Test);

fn main() {}
