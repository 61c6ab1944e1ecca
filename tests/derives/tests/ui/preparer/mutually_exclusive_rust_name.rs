#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The username.
    #[hcl(name = "user", mutually_exclusive = "username,uid")]
    username: Option<String>,
    /// The uid.
    uid: Option<u32>,
}

resource!(Test);

fn main() {}
