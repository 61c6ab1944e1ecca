#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export(embed)]
    inner: Inner,
}

struct Inner;

fn main() {}
