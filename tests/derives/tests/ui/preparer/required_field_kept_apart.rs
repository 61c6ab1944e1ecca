#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required)]
    a: String,
    /// The b.
    #[hcl(mutually_exclusive = "a,b")]
    b: Option<String>,
    /// The c.
    #[hcl(conflicts_with = "a")]
    c: Option<String>,
}

resource!(Test);

fn main() {}
