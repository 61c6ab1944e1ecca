#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
enum Enum {
    A,
}

#[derive(HclBlock)]
struct Tuple(String);

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The a.
    a: Option<Enum>,
    /// The b.
    b: Option<Tuple>,
}

resource!(Test);

fn main() {}
