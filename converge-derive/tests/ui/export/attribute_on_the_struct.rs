#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
#[export]
struct Task {
    #[export]
    user: Option<String>,
}

fn main() {}
