#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The mode.
    #[hcl(base = 8, default = 755)]
    mode: u32,
    /// The bits.
    #[hcl(base = 8, max = 4095)]
    bits: u32,
    /// The mode of a folder.
    #[hcl(base = 8, default = 0o755, min = 0, max = 0o7777)]
    folder: u32,
}

resource!(Test);

fn main() {}
