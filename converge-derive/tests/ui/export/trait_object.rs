#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export]
    status: Box<dyn std::fmt::Debug>,
    #[re_export_as = "other"]
    other: Option<std::sync::Arc<dyn std::fmt::Debug>>,
}

fn main() {}
