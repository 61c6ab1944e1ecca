#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    pub user: Option<String>,
    pub uid: Option<u32>,
    gid: Option<u32>,
}

resource!(Test);

fn main() {}
