#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclEnum)]
enum State {
    Present,
    Absent,
}

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The state.
    #[hcl(default = "presnt", removes = "absnt")]
    state: State,
    /// The name.
    #[hcl(required_if = "state=gone")]
    name: Option<String>,
}

resource!(Test);

fn main() {}
