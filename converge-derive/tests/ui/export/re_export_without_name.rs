#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[re_export_as]
    a: Inner,
    #[re_export_as = 5]
    b: Inner,
    #[re_export_as("c")]
    c: Inner,
    #[re_export_as = "d"]
    #[re_export_as = "e"]
    d: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
