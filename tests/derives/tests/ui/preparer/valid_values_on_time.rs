#[path = "../support.rs"]
mod support;
use support::*;

mod jiff {
    pub struct Timestamp;
}

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The until.
    #[hcl(valid_values = "2030-01-31")]
    until: Option<jiff::Timestamp>,
}

resource!(Test);

fn main() {}
