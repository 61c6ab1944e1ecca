#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Default, HclBlock)]
struct Times {
    /// The interval.
    interval: Option<u32>,
}

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The times.
    times: Times,
    /// The name.
    #[hcl(required_if = "times=5")]
    name: Option<String>,
}

resource!(Test);

fn main() {}
