#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(valid_values = "a,b")]
    words: Vec<String>,
}

resource!(Test);

fn main() {}
