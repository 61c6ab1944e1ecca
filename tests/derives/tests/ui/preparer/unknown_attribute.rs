#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    #[hcl(mutally_exclusive = "user,uid")]
    user: Option<String>,
    /// The uid.
    uid: Option<u32>,
}

resource!(Test);

fn main() {}
