#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done, lock = "the database")]
struct Space {}

resource!(Space);

#[derive(Preparer)]
#[preparer(name = "test", task = Done, lock = "")]
struct Empty {}

resource!(Empty);

#[derive(Preparer)]
#[preparer(name = "test", task = Done, lock)]
struct Nameless {}

resource!(Nameless);

fn main() {}
