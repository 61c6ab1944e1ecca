//! Which resources may have duplicates.
//!
//! A module that is used twice may declare one thing twice, such as the folder that both uses need. Worked on at
//! the same time, both copies would find it missing and both would make it, and one would fail. So copies of the
//! same lines of a module wait for each other where their inputs are the same, too: the second one then finds
//! what the first one did.
//!
//! The original made one resource of them; here each keeps its place, and the second finds nothing to do.

use crate::graph::{Node, Role};

/// Whether there may be another copy of the same lines. All copies share their attributes.
pub(super) fn may_have_duplicates(node: &Node) -> bool {
    node.role == Role::Resource && node.may_be_copy()
}
