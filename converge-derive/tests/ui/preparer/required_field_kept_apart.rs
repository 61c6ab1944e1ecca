#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required, mutually_exclusive = "a,b")]
    a: String,
    b: Option<String>,
    #[hcl(conflicts_with = "a")]
    c: Option<String>,
}

resource!(Test);

fn main() {}
