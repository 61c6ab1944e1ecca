#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "Test", task = Done)]
struct Test {
    /// Path.
    #[hcl(requird, nonempty)]
    destination: String,
    #[hcl(name = "user", mutally_exclusive = "user,uid")]
    username: Option<String>,
    #[hcl(mutually_exclusive = "user,uuid")]
    pub uid: Option<u32>,
    #[hcl(base = 8)]
    mode: String,
    #[hcl(required, default = 5)]
    user: u32,
}

resource!(Test);

fn main() {}
