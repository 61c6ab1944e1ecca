#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// How long.
    timeout: Option<u32>,
    /// Meant so.
    #[hcl(name = "group")]
    group: Option<String>,
}

resource!(Test);

fn main() {}
