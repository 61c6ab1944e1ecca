#[path = "../support.rs"]
mod support;
use support::*;

#[derive(Export)]
struct Task {
    /// The user.
    #[export]
    user: String,
    /// The username.
    #[export(name = "user")]
    username: String,
    /// The inner.
    #[re_export_as = "User"]
    inner: Inner,
}

#[derive(Export)]
struct Inner;

fn main() {}
