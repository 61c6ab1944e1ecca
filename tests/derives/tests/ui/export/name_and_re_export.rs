#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The a.
    #[export(name = "a")]
    #[re_export_as = "b"]
    a: Inner,
    /// The b.
    #[export(embed, name = "x")]
    b: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
