#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The destination.
    #[hcl(manages = "path:content of destination")]
    destination: Option<String>,
}

resource!(Test);

fn main() {}
