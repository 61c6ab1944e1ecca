#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The user.
    user: Option<String>,
    /// The username.
    #[hcl(alias = "user")]
    username: Option<String>,
}

resource!(Test);

fn main() {}
