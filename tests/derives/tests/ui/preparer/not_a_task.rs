#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Preparer)]
#[preparer(name = "test", task = Nothing, register = false)]
struct Test {
    /// The user.
    user: Option<String>,
}

#[derive(Export)]
struct Nothing;

fn main() {}
