#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The status.
    #[export]
    status: Box<dyn std::fmt::Debug>,
    /// The other.
    #[re_export_as = "other"]
    other: Option<std::sync::Arc<dyn std::fmt::Debug>>,
}

fn main() {}
