//! The queue from which workers take nodes.
//!
//! A long task delays only its own worker.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::graph::NodeIndex;
use crate::types::node_table::Rows;

/// The nodes that may begin, in order.
///
/// One side publishes, and any number of workers take. A node is published at most once in a run, or twice if
/// it adds instances. The queue therefore has few more slots than there are nodes and never wraps around. The
/// numbers of taken and published nodes are in one atomic integer, so [`close`](Self::close) is exact: a node
/// that is not taken by then never is.
#[derive(Debug)]
pub(crate) struct WorkQueue {
    slots: Rows<AtomicU32>,
    /// The number of taken nodes in the upper half, of published ones in the lower.
    state: AtomicU64,
    paused: AtomicBool,
}

impl WorkQueue {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            slots: Rows::new(capacity, AtomicU32::default),
            state: AtomicU64::new(0),
            paused: AtomicBool::new(false),
        }
    }

    /// Adds a node at the end. Only the coordinator calls this method.
    pub(crate) fn publish(&self, index: NodeIndex) {
        let (_, published) = split(self.state.load(Ordering::Relaxed));
        self.slots.grow(published as usize + 1, AtomicU32::default);
        if let Some(slot) = self.slots.get(published as usize) {
            slot.store(index.number(), Ordering::Relaxed);
            // This publishes the slot together with the count.
            self.state.fetch_add(1, Ordering::Release);
        }
    }

    /// Pauses or resumes the queue.
    ///
    /// While it is paused, workers end after their current node and free their places.
    pub(crate) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Option<NodeIndex> {
        if self.paused.load(Ordering::Relaxed) {
            return None;
        }
        let advance = |state| {
            let (taken_count, published) = split(state);
            (taken_count < published).then(|| join(taken_count + 1, published))
        };
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, advance).ok()?;
        self.slots.get(split(before).0 as usize).map(index_in)
    }

    /// Returns the number of nodes in the queue.
    pub(crate) fn waiting(&self) -> usize {
        let (taken_count, published) = split(self.state.load(Ordering::Relaxed));
        (published - taken_count) as usize
    }

    /// Empties the queue and returns the nodes that were taken, in order.
    pub(crate) fn close(&self) -> impl Iterator<Item = NodeIndex> {
        let close = |state| {
            let (taken_count, _) = split(state);
            Some(join(taken_count, taken_count))
        };
        // The closure always returns a value, so both arms hold the previous state.
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, close);
        let (taken_count, _) = split(before.unwrap_or_else(|state| state));
        (0..taken_count as usize).filter_map(|position| self.slots.get(position)).map(index_in)
    }
}

fn index_in(slot: &AtomicU32) -> NodeIndex {
    NodeIndex::new(slot.load(Ordering::Relaxed) as usize)
}

fn split(state: u64) -> (u32, u32) {
    let low_half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (low_half(state >> 32), low_half(state))
}

fn join(taken_count: u32, published: u32) -> u64 {
    u64::from(taken_count) << 32 | u64::from(published)
}
