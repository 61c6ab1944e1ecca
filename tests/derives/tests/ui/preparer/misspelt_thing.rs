#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The file.
    #[hcl(manages = "pth")]
    file: String,
    /// The content.
    #[hcl(manages = "path:contnt")]
    content: String,
    /// The users.
    #[hcl(needs = "users")]
    users: Vec<String>,
    /// A thing that only this type knows.
    #[hcl(manages = "zone, part, zone:records")]
    zone: String,
}

resource!(Test);

fn main() {}
