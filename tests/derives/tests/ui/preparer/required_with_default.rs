#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required, default)]
    a: String,
    /// The b.
    #[hcl(required, default = "x")]
    b: String,
}

resource!(Test);

fn main() {}
