#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The timeout.
    timeout: Option<u32>,
    /// The group, replaced on purpose.
    #[hcl(name = "group")]
    group: Option<String>,
}

resource!(Test);

fn main() {}
