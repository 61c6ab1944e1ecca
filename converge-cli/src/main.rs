//! The `converge` command.
fn main() {}
