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
    a: Option<Enum>,
    b: Option<Tuple>,
}

resource!(Test);

fn main() {}
