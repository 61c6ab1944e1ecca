#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(required, mutually_exclusive = "a,b", default)]
    a: String,
    #[hcl(default = "x")]
    b: String,
}

resource!(Test);

fn main() {}
