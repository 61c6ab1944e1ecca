#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(default = 5)]
    a: String,
    #[hcl(default = "five")]
    b: u32,
    #[hcl(default = 256)]
    c: u8,
    #[hcl(default = "yes")]
    d: bool,
    #[hcl(default = "x")]
    e: Vec<String>,
    #[hcl(default = ["x", 5])]
    f: Vec<String>,
    #[hcl(base = 8, default = "888")]
    g: u32,
    #[hcl(default = String::new())]
    h: String,
}

resource!(Test);

fn main() {}
