//! What a node waits for that somebody else has.

use crate::engine::event::{HeldBy, LockKind};

/// A lock that is not free.
pub(super) struct Awaited {
    pub(super) lock: LockKind,
    /// Duplicates have none.
    pub(super) name: Option<String>,
    pub(super) held_by: HeldBy,
}
