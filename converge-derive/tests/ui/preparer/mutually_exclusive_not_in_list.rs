#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(mutually_exclusive = "uid,gid")]
    user: Option<String>,
    uid: Option<u32>,
    gid: Option<u32>,
}

resource!(Test);

fn main() {}
