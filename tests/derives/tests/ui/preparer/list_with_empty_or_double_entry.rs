#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(mutually_exclusive = "a,,b")]
    a: Option<String>,
    /// The b.
    #[hcl(mutually_exclusive = "a,b,b")]
    b: Option<String>,
}

resource!(Test);

fn main() {}
