#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The status.
    #[export(embeded)]
    status: Option<String>,
    /// The user.
    #[export(required)]
    user: Option<String>,
}

fn main() {}
