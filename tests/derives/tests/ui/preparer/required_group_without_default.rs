#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    #[hcl(required, mutually_exclusive = "a,b")]
    a: Option<String>,
    /// The b.
    b: State,
}

resource!(Test);

#[derive(HclEnum)]
enum State {
    Present,
    Absent,
}

fn main() {}
