#[path = "../support.rs"]
mod support;
use support::*;

/// A folder.
#[derive(HclBlock)]
struct Folder {
    /// What is in it.
    entries: Vec<Entry>,
}

/// Something in a folder.
#[derive(HclBlock)]
struct Entry {
    /// A folder.
    folder: Option<Box<Folder>>,
}

fn main() {}
