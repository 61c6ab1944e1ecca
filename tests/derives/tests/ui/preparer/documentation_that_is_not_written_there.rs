#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[doc = include_str!("documentation.md")]
    user: Option<String>,
}

resource!(Test);

fn main() {}
