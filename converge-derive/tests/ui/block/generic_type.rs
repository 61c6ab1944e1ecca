#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Block<T: FromValue> {
    value: T,
}

fn main() {}
