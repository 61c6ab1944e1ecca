#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(name = 5)]
    a: Option<String>,
    /// The b.
    #[hcl(required = true)]
    b: String,
    /// The c.
    #[hcl(min = "1")]
    c: Option<u32>,
    /// The d.
    #[hcl(name)]
    d: Option<String>,
    /// The e.
    #[hcl(deprecated)]
    e: Option<String>,
    /// The f.
    #[hcl = "required"]
    f: Option<String>,
    /// The g.
    #[hcl("required")]
    g: Option<String>,
    /// The h.
    #[hcl(required nonempty)]
    h: String,
}

resource!(Test);

fn main() {}
