#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    #[hcl(mutually_exclusive = "usr,uid")]
    user: Option<String>,
    /// The uid.
    uid: Option<u32>,
}

resource!(Test);

fn main() {}
