#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The inner.
    #[export(embed)]
    inner: Inner,
}

struct Inner;

fn main() {}
