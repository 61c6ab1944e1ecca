#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
enum Enum {
    A,
}

resource!(Enum);

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Tuple(String);

resource!(Tuple);

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
union Union {
    a: u32,
}

resource!(Union);

fn main() {}
