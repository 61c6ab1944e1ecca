#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
pub struct Task {
    #[export]
    pub user: String,
    #[export]
    group: String,
    pub not_exported: String,
}

fn main() {}
