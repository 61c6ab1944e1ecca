//! What nodes wait for that somebody else has.

use std::collections::HashMap;
use std::mem;

use tokio::time::Instant;

use crate::engine::lock_wait::{HeldBy, LockKind, Waited};
use crate::graph::NodeIndex;

/// A lock that is not free.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Awaited {
    pub(super) lock: LockKind,
    /// Duplicates have none.
    pub(super) name: Option<String>,
    pub(super) held_by: HeldBy,
}

/// The waits of all nodes until they are reported. Where nobody waits this is empty, and costs a look.
#[derive(Debug, Default)]
pub(super) struct Waits(HashMap<NodeIndex, NodeWaits>);

#[derive(Debug, Default)]
struct NodeWaits {
    /// What it waits for now, and since when.
    now: Option<(Awaited, Instant)>,
    over: Vec<Waited>,
}

impl NodeWaits {
    fn end(&mut self) {
        if let Some((Awaited { lock, name, held_by }, since)) = self.now.take() {
            self.over.push(Waited::new(lock, name, held_by, since.elapsed()));
        }
    }
}

impl Waits {
    /// A node waits from now on. Who comes behind another one again still waits.
    pub(super) fn begin(&mut self, index: NodeIndex, awaited: Awaited) {
        let waits = self.0.entry(index).or_default();
        if waits.now.as_ref().is_none_or(|(now, _)| *now != awaited) {
            waits.end();
            waits.now = Some((awaited, Instant::now()));
        }
    }

    /// A node waits no longer: it has its lock, or will never get it.
    pub(super) fn end(&mut self, index: NodeIndex) {
        if !self.0.is_empty()
            && let Some(waits) = self.0.get_mut(&index)
        {
            waits.end();
        }
    }

    /// Nobody waits any longer.
    pub(super) fn end_all(&mut self) {
        self.0.values_mut().for_each(NodeWaits::end);
    }

    /// All that a node has waited for.
    pub(super) fn take(&mut self, index: NodeIndex) -> Vec<Waited> {
        self.end(index);
        let taken = if self.0.is_empty() { None } else { self.0.remove(&index) };
        taken.map(|mut waits| mem::take(&mut waits.over)).unwrap_or_default()
    }
}
