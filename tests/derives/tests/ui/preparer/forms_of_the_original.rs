#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer("test")]
struct Test {
    /// The destination.
    #[hcl("destination")]
    destination: String,
}

resource!(Test);

fn main() {}
