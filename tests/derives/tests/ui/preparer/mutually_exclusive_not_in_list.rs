#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    #[hcl(mutually_exclusive = "uid,gid")]
    user: Option<String>,
    /// The uid.
    uid: Option<u32>,
    /// The gid.
    gid: Option<u32>,
}

resource!(Test);

fn main() {}
