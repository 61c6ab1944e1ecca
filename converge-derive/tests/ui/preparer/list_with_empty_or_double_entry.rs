#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(mutually_exclusive = "a,,b")]
    a: Option<String>,
    #[hcl(mutually_exclusive = "a,b,b")]
    b: Option<String>,
}

resource!(Test);

fn main() {}
