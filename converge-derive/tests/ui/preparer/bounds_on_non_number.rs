#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(min = 1)]
    a: String,
    #[hcl(max = 1)]
    b: bool,
}

resource!(Test);

fn main() {}
