#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The destination.
    #[hcl(manages = "path/content", needs = "user, the group", touches = "path of a at b")]
    destination: Option<String>,
}

resource!(Test);

fn main() {}
