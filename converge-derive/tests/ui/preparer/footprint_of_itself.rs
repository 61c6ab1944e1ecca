#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(manages = "path:content of destination")]
    destination: Option<String>,
}

resource!(Test);

fn main() {}
