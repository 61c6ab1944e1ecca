#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(pattern = "^[a-z+$")]
    a: String,
}

resource!(Test);

fn main() {}
