//! What is known of a node, one bit each.

/// Plan: an apply would change the node, or may.
pub(super) const CHANGES: u16 = 1;
/// Something that the node waits for, however far away, has [`CHANGES`].
pub(super) const WAITS_FOR_CHANGES: u16 = 1 << 1;
/// The module says that the node is not handled.
pub(super) const NOT_TAKEN: u16 = 1 << 2;
/// The node was changed, or in a plan may be changed; of an end, something in it.
pub(super) const TOUCHED: u16 = 1 << 3;
/// And that is certain.
pub(super) const CERTAIN: u16 = 1 << 4;
/// Of a case: it was taken, or one before it.
pub(super) const SWITCH_TAKEN: u16 = 1 << 5;
/// Of a case: whether it is taken, or one before it, is not known.
pub(super) const SWITCH_OPEN: u16 = 1 << 6;
/// Something that may look up values waits for the node, however far away.
pub(super) const READ: u16 = 1 << 7;
/// Something that does work waits for the node.
pub(super) const AWAITED: u16 = 1 << 8;
