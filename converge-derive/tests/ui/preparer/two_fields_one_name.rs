#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    user: Option<String>,
    #[hcl(name = "user")]
    username: Option<String>,
}

resource!(Test);

fn main() {}
