#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[re_export_as = "status"]
    status: Option<Inner>,
    #[re_export_as = "text"]
    text: String,
}

struct Inner;

fn main() {}
