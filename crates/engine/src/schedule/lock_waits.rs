//! Waits of nodes for locks that others hold.

use std::collections::HashMap;
use std::mem;

use tokio::time::Instant;

use crate::events::lock_wait::{HeldBy, LockKind, Waited};
use crate::graph::NodeIndex;

/// A lock that a node waits for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Awaited {
    pub(super) lock: LockKind,
    /// The name of the lock. Locks of duplicates have none.
    pub(super) name: Option<String>,
    pub(super) held_by: HeldBy,
}

/// The waits of all nodes that have not been reported.
///
/// The map is empty, and cheap to query, while none wait.
#[derive(Debug, Default)]
pub(super) struct Waits(HashMap<NodeIndex, NodeWaits>);

#[derive(Debug, Default)]
struct NodeWaits {
    /// The current wait and its start.
    now: Option<(Awaited, Instant)>,
    over: Vec<Waited>,
}

impl NodeWaits {
    fn end(&mut self) {
        if let Some((Awaited { lock, name, held_by }, start)) = self.now.take() {
            self.over.push(Waited::new(lock, name, held_by, start.elapsed()));
        }
    }
}

impl Waits {
    /// Records that a node waits. A repeated call for the same lock continues the wait.
    pub(super) fn begin(&mut self, index: NodeIndex, awaited: Awaited) {
        let waits = self.0.entry(index).or_default();
        if waits.now.as_ref().is_none_or(|(now, _)| *now != awaited) {
            waits.end();
            waits.now = Some((awaited, Instant::now()));
        }
    }

    /// Ends the wait of a node, because it has its lock or will not get it.
    pub(super) fn end(&mut self, index: NodeIndex) {
        if !self.0.is_empty()
            && let Some(waits) = self.0.get_mut(&index)
        {
            waits.end();
        }
    }

    /// Ends all waits.
    pub(super) fn end_all(&mut self) {
        self.0.values_mut().for_each(NodeWaits::end);
    }

    /// Returns all waits of a node and removes them.
    pub(super) fn take(&mut self, index: NodeIndex) -> Vec<Waited> {
        self.end(index);
        let entry = if self.0.is_empty() { None } else { self.0.remove(&index) };
        entry.map(|mut waits| mem::take(&mut waits.over)).unwrap_or_default()
    }
}
