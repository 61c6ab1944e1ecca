#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The destination.
    #[hcl(sensitive, manages = "path")]
    destination: Option<Secret<String>>,
}

resource!(Test);

fn main() {}
