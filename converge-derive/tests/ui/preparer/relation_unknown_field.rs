#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required_one_of = "a,bb")]
    a: Option<String>,
    #[hcl(required_together = "b,aa")]
    b: Option<String>,
    #[hcl(requires = "whatever")]
    c: Option<String>,
    #[hcl(conflicts_with = "aaa")]
    d: Option<String>,
}

resource!(Test);

fn main() {}
