//! The locks that nodes hold from their first check to their last: of groups, and of copies of one resource.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use crate::context::Mode;
use crate::engine::shared::Shared;
use crate::engine::twins::lock_name;
use crate::graph::NodeIndex;

/// Who holds which group.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<Arc<str>, Group>);

/// At most one member is published and has not ended.
#[derive(Debug, Default)]
struct Group {
    busy: bool,
    waiting: BinaryHeap<Reverse<NodeIndex>>,
}

impl Groups {
    /// Takes the lock for a node, or makes the node wait for it.
    pub(super) fn lock(&mut self, shared: &Shared, index: NodeIndex) -> bool {
        let Some(name) = group_of(shared, index) else { return true };
        let group = self.0.entry(name).or_default();
        if group.busy {
            group.waiting.push(Reverse(index));
            return false;
        }
        group.busy = true;
        true
    }

    pub(super) fn is_busy(&self, shared: &Shared, index: NodeIndex) -> bool {
        group_of(shared, index).and_then(|name| self.0.get(&name)).is_some_and(|group| group.busy)
    }

    /// Frees the lock of a node, and gives the next one that waits for it.
    pub(super) fn unlock(&mut self, shared: &Shared, index: NodeIndex) -> Option<NodeIndex> {
        let group = self.0.get_mut(&group_of(shared, index)?)?;
        group.busy = false;
        group.waiting.pop().map(|Reverse(next)| next)
    }
}

/// The lock of a node, where this run takes locks.
fn group_of(shared: &Shared, index: NodeIndex) -> Option<Arc<str>> {
    if shared.mode() != Mode::Apply {
        return None;
    }
    let group = shared.graph.node(index).group.clone();
    group.or_else(|| lock_name(shared, index))
}
