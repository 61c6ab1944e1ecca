#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required_one_of = "a,bb")]
    a: Option<String>,
    /// The b.
    #[hcl(required_together = "b,aa")]
    b: Option<String>,
    /// The c.
    #[hcl(requires = "whatever")]
    c: Option<String>,
    /// The d.
    #[hcl(conflicts_with = "aaa")]
    d: Option<String>,
}

resource!(Test);

fn main() {}
