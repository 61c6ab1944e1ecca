#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    state: Ensure,
    #[hcl(required_if = "stat=absent")]
    name: Option<String>,
    #[hcl(required_unless = "other")]
    other: Option<String>,
}

resource!(Test);

fn main() {}
