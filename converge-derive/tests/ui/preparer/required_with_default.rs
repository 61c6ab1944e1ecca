#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required, default)]
    a: String,
    #[hcl(required, default = "x")]
    b: String,
}

resource!(Test);

fn main() {}
