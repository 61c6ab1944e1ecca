#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The number.
    #[hcl(valid_values = "1,two")]
    number: u32,
    /// The small.
    #[hcl(valid_values = "1,300")]
    small: u8,
    /// The flag.
    #[hcl(valid_values = "true,yes")]
    flag: bool,
    /// The mode.
    #[hcl(base = 8, valid_values = "644,888")]
    mode: u32,
}

resource!(Test);

fn main() {}
