#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    #[export]
    user: String,
    #[export(name = "user")]
    username: String,
    #[re_export_as = "User"]
    inner: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
