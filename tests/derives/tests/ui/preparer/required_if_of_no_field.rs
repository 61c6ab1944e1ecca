#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The state.
    state: Ensure,
    /// The name.
    #[hcl(required_if = "stat=absent")]
    name: Option<String>,
    /// The other.
    #[hcl(required_unless = "other")]
    other: Option<String>,
}

resource!(Test);

fn main() {}
