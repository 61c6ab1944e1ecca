#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    #[hcl(pattern = "^[a-z]+$", default = "Local")]
    name: String,
    #[hcl(valid_values = "a,b", default = ["a", "c"])]
    words: Vec<String>,
    #[hcl(max = 9, default = [1, 10])]
    numbers: Vec<u8>,
}

resource!(Test);

fn main() {}
