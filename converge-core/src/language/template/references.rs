//! What a template or an expression refers to, read off its tree.

use std::ops::Range;
use std::sync::Arc;

/// A use of a name, read off the tree in every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// What is referred to.
    pub target: ReferenceTarget,
    /// Where the name is: in bytes of the template's text, for an expression in bytes of its file. A literal
    /// is covered with its quotes.
    pub range: Range<u32>,
}

/// What a template refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceTarget {
    /// `param`, `paramList` or `paramMap` with a literal name.
    Param(Arc<str>),
    /// `lookup` with a literal path.
    Lookup(Arc<str>),
    /// A name with dots in a computed expression, which may be a whole resource:
    /// `file.content.page["a"].destination`.
    Traversal(Arc<str>),
    /// `self.FIELD`: another field of the same resource.
    This(Arc<str>),
    /// `each.key` or `each.value`.
    Each,
    /// `param` or `lookup` of a name that is computed when the template runs.
    Computed,
}
