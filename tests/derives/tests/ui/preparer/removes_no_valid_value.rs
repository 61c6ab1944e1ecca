#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test {
    /// The form.
    #[hcl(valid_values = "a,b", removes = "c")]
    form: String,
}

resource!(Test);

fn main() {}
