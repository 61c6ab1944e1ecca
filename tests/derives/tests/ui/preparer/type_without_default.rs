#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The state.
    state: State,
}

resource!(Test);

#[derive(HclEnum)]
enum State {
    Present,
    Absent,
}

fn main() {}
