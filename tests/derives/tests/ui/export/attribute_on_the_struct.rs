#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
#[export]
struct Task {
    /// The user.
    #[export]
    user: Option<String>,
}

fn main() {}
