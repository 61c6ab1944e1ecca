//! References of templates and expressions, collected from their trees.

use std::ops::Range;
use std::sync::Arc;

/// A use of a name, collected from every branch.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// The target of the reference.
    pub target: ReferenceTarget,
    /// The bytes of the name, in the text of a template or in the file of an expression.
    ///
    /// A literal is included with its quotes.
    pub range: Range<u32>,
}

/// The target of a reference.
#[derive(Clone, Debug, PartialEq)]
pub enum ReferenceTarget {
    /// `param`, `paramList` or `paramMap` with a literal name.
    Param(Arc<str>),
    /// `lookup` with a literal path.
    Lookup(Arc<str>),
    /// A dotted name in an expression, possibly of a whole resource: `file.content.page["a"].destination`.
    Traversal(Arc<str>),
    /// `self.FIELD`: another field of the same resource.
    This(Arc<str>),
    /// `each.key` or `each.value`.
    Each,
    /// `param` or `lookup` with a name that is computed during the run.
    Computed,
}
