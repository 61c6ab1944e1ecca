#[path = "../support.rs"]
mod support;
use support::*;


#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The name.
    #[hcl(pattern = "^[a-z]+$", default = "Local")]
    name: String,
    /// The words.
    #[hcl(valid_values = "a,b", default = ["a", "c"])]
    words: Vec<String>,
    /// The numbers.
    #[hcl(max = 9, default = [1, 10])]
    numbers: Vec<u8>,
}

resource!(Test);

fn main() {}
