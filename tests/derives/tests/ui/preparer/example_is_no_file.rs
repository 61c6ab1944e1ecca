#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, example = "missing.hcl")]
struct Test {
    /// The user.
    user: Option<String>,
}

resource!(Test);

fn main() {}
