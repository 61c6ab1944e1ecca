#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required, mutually_exclusive = "a,b", default)]
    a: String,
    /// The b.
    #[hcl(default = "x")]
    b: String,
}

resource!(Test);

fn main() {}
