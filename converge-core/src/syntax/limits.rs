//! What one module may ask of the machine.

/// The largest source that is read, in bytes: 16 MiB.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// The deepest nesting that is read: of brackets in the text, and of nodes in the tree, with the blocks and
/// lists around an expression counted. The tree of `a + b + c` is as deep as the chain is long.
pub(super) const MAX_DEPTH: usize = 64;

/// When more problems than this are known, what follows is not read: nobody reads more, and each takes memory.
pub(super) const MAX_ERRORS: usize = 1000;

/// How often an unclosed block may send the parser back to a later block, so that the cost stays linear.
pub(super) const MAX_RESTARTS: usize = 8;
