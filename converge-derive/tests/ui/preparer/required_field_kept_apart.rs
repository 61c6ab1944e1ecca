#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required)]
    a: String,
    #[hcl(mutually_exclusive = "a,b")]
    b: Option<String>,
    #[hcl(conflicts_with = "a")]
    c: Option<String>,
}

resource!(Test);

fn main() {}
