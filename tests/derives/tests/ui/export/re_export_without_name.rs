#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The a.
    #[re_export_as]
    a: Inner,
    /// The b.
    #[re_export_as = 5]
    b: Inner,
    /// The c.
    #[re_export_as("c")]
    c: Inner,
    /// The d.
    #[re_export_as = "d"]
    #[re_export_as = "e"]
    d: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
