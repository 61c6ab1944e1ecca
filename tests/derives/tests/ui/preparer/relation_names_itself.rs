#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(requires = "a")]
    a: Option<String>,
    /// The b.
    #[hcl(conflicts_with = "b")]
    b: Option<String>,
}

resource!(Test);

fn main() {}
