#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The status.
    #[re_export_as = "status"]
    status: Option<Inner>,
    /// The text.
    #[re_export_as = "text"]
    text: String,
}

struct Inner;

fn main() {}
