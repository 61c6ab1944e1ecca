//! The limits on the source of one module.

/// The maximum size of a source in bytes: 16 MiB.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// The maximum nesting depth of brackets in the text and of nodes in the tree.
///
/// Blocks and lists around an expression count. The tree of `a + b + c` is as deep as the chain is long.
pub(super) const MAX_DEPTH: usize = 64;

/// The number of errors after which parsing stops, because nobody reads more and each takes memory.
pub(super) const MAX_ERRORS: usize = 1000;

/// The number of times that an unclosed block may send the parser back, so that the cost stays linear.
pub(super) const MAX_RESTARTS: usize = 8;
