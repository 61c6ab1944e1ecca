#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export(name = "a")]
    #[re_export_as = "b"]
    a: Inner,
    #[export(embed, name = "x")]
    b: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
