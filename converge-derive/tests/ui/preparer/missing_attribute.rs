#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
struct Test {
    user: Option<String>,
}

resource!(Test);

fn main() {}
