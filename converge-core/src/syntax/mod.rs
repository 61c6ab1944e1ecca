//! HCL text to a tree with byte spans.

mod tree;

use crate::report::{Diagnostics, FileId};

pub use tree::{Attribute, Block, Body, ByteRange, Expression, ExpressionKind, Item, Name};

/// Parses a module. What can be read is in the tree, whatever is wrong with the rest.
pub fn parse(_file: FileId, _text: &str) -> (Body, Diagnostics) {
    (Body::default(), Diagnostics::new())
}

/// Where a range of a literal's decoded text is in the literal as written.
pub fn literal_range(_raw: &str, decoded: std::ops::Range<usize>) -> std::ops::Range<usize> {
    decoded
}
