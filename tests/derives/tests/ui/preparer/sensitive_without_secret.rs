#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The password.
    #[hcl(sensitive)]
    password: Option<String>,
}

resource!(Test);

fn main() {}
