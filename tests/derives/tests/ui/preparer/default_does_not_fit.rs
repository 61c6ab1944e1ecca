#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(default = 5)]
    a: String,
    /// The b.
    #[hcl(default = "five")]
    b: u32,
    /// The c.
    #[hcl(default = 256)]
    c: u8,
    /// The d.
    #[hcl(default = "yes")]
    d: bool,
    /// The e.
    #[hcl(default = "x")]
    e: Vec<String>,
    /// The f.
    #[hcl(default = ["x", 5])]
    f: Vec<String>,
    /// The g.
    #[hcl(base = 8, default = "888")]
    g: u32,
    /// The h.
    #[hcl(default = String::new())]
    h: String,
}

resource!(Test);

fn main() {}
