#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(min = 1, max = 5, default = 6)]
    a: u32,
    /// The b.
    #[hcl(valid_values = "present,absent", default = "gone")]
    b: String,
}

resource!(Test);

fn main() {}
