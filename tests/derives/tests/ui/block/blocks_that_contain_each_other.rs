#[path = "../support.rs"]
mod support;
use support::*;

/// A folder.
#[derive(HclBlock)]
struct Folder {
    /// The entries of the folder.
    entries: Vec<Entry>,
}

/// An entry of a folder.
#[derive(HclBlock)]
struct Entry {
    /// A folder.
    folder: Option<Box<Folder>>,
}

fn main() {}
