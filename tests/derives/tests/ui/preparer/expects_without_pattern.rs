#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test.thing", task = Done)]
struct Thing {
    /// A word.
    #[hcl(expects = "a word of a-z")]
    word: String,
}

resource!(Thing);

fn main() {}
