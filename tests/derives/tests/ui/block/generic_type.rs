#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Block<T: FromValue> {
    /// The value.
    value: T,
}

fn main() {}
