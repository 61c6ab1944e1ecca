#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "Test", task = Done)]
struct Test {
    /// Path.
    #[hcl(requird, nonempty)]
    destination: String,
    /// The username.
    #[hcl(name = "user", mutally_exclusive = "user,uid")]
    username: Option<String>,
    /// The uid.
    #[hcl(mutually_exclusive = "user,uuid")]
    pub uid: Option<u32>,
    /// The mode.
    #[hcl(base = 8)]
    mode: String,
    /// The user.
    #[hcl(required, default = 5)]
    user: u32,
}

resource!(Test);

fn main() {}
