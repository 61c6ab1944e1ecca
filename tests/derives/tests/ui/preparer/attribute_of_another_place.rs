#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    #[hcl(task = Done)]
    user: Option<String>,
}

resource!(Test);

fn main() {}
