#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(requires = "a")]
    a: Option<String>,
    #[hcl(conflicts_with = "b")]
    b: Option<String>,
}

resource!(Test);

fn main() {}
