#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The port.
    #[hcl(min = 1)]
    port: u16,
    /// The interval.
    #[hcl(default, min = 1)]
    interval: Duration,
    /// The depth.
    #[hcl(max = -1)]
    depth: i32,
    /// The right ones.
    #[hcl(min = 1)]
    a: Option<u16>,
    /// The right ones.
    #[hcl(required, min = 1)]
    b: u16,
    /// The right ones.
    #[hcl(default = 80, min = 1)]
    c: u16,
}

resource!(Test);

fn main() {}
