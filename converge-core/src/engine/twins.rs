//! The lock that copies of a resource share.
//!
//! A module that is used twice may declare one thing twice, such as the folder that both uses need. Worked on at
//! the same time, both copies would find it missing and both would make it, and one would fail. So copies of the
//! same lines of a module wait for each other where their parameters are the same, too: the second one then finds
//! what the first one did.

use std::fmt::Write;
use std::sync::Arc;

use super::shared::Shared;
use crate::graph::{EdgeReason, Node, NodeIndex, Role};
use crate::load::param::is_param;

/// Whether there may be another copy of a resource that means the same.
pub(super) fn may_have_twins(node: &Node) -> bool {
    node.role == Role::Resource
        && node.site.each.is_none()
        && Arc::strong_count(&node.attributes) > 1
        && !is_param(node)
}

/// The name of the lock that a resource shares with its copies. All that it waits for must be finished.
pub(super) fn lock_name(shared: &Shared, index: NodeIndex) -> Option<Arc<str>> {
    let node = shared.graph.node(index);
    if !may_have_twins(node) {
        return None;
    }
    // No group that is written has a name with this character.
    let mut name = format!("\0{:p}", Arc::as_ptr(&node.attributes));
    for edge in shared.graph.dependencies(index) {
        let written = match (edge.reason, shared.exports(edge.on)) {
            (EdgeReason::Param, Some(exports)) => write!(name, " {exports:?}"),
            (EdgeReason::Param | EdgeReason::Lookup, _) => write!(name, " {}", edge.on.as_usize()),
            _ => Ok(()),
        };
        written.ok()?;
    }
    Some(name.into())
}
