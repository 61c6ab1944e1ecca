#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required, nonempty, mutually_exclusive = "a,b")]
    a: Option<String>,
    #[hcl(embed)]
    other: Other,
}

resource!(Test);

#[derive(HclBlock)]
struct Other {
    /// The b.
    b: Option<String>,
}

fn main() {}
