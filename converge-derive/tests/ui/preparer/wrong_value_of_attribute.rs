#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(name = 5)]
    a: Option<String>,
    #[hcl(required = true)]
    b: String,
    #[hcl(min = "1")]
    c: Option<u32>,
    #[hcl(name)]
    d: Option<String>,
    #[hcl(deprecated)]
    e: Option<String>,
    #[hcl = "required"]
    f: Option<String>,
    #[hcl("required")]
    g: Option<String>,
    #[hcl(required nonempty)]
    h: String,
}

resource!(Test);

fn main() {}
