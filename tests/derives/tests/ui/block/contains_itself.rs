#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Node {
    /// The children.
    children: Vec<Node>,
    /// The again.
    again: Option<Box<Self>>,
}

fn main() {}
