#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Done)]
struct Test<'a> {
    /// The user.
    user: &'a str,
}

fn main() {}
