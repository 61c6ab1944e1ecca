#[path = "../support.rs"]
mod support;
use support::*;

#[derive(HclBlock)]
struct Node {
    children: Vec<Node>,
    again: Option<Box<Self>>,
}

fn main() {}
