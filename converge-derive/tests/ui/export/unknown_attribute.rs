#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export(embeded)]
    status: Option<String>,
    #[export(required)]
    user: Option<String>,
}

fn main() {}
