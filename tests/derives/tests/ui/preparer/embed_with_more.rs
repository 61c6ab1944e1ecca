#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Times {
    /// The interval.
    interval: Option<u32>,
}

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(embed, required)]
    times: Times,
}

resource!(Test);

fn main() {}
