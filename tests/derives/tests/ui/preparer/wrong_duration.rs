#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The delay.
    #[hcl(default = "1 minute")]
    delay: Duration,
    /// The interval.
    #[hcl(valid_values = "1m,1d")]
    interval: Duration,
    /// The age.
    age: Duration,
    /// The name.
    #[hcl(required_if = "age=1x")]
    name: Option<String>,
    /// The right ones.
    #[hcl(default = "1m1.5s")]
    pause: Duration,
}

resource!(Test);

fn main() {}
