//! The queue from which workers take what to do next.
//!
//! A long task holds up its own worker and nothing else.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::graph::NodeIndex;
use crate::types::node_table::Rows;

/// Nodes that may be begun, in the order in which they should be.
///
/// One side publishes, any number of workers take. Each node is published at most once in a run, or twice where it makes others, so
/// the queue has few more places than there are nodes and never wraps around. How many were taken and how many were published is one number, so that
/// [`close`](Self::close) is exact: what is not taken by then never is.
#[derive(Debug)]
pub(super) struct WorkQueue {
    slots: Rows<AtomicU32>,
    /// Taken in the upper half, published in the lower.
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

    /// Adds a node at the end. Only the coordinator calls it.
    pub(super) fn publish(&self, index: NodeIndex) {
        let (_, published) = split(self.state.load(Ordering::Relaxed));
        self.slots.grow(published as usize + 1, AtomicU32::default);
        if let Some(slot) = self.slots.get(published as usize) {
            slot.store(index.number(), Ordering::Relaxed);
            // Publishes the slot together with the count.
            self.state.fetch_add(1, Ordering::Release);
        }
    }

    /// While it is paused, workers find nothing and end after the node that they are at, so that others can have their
    /// places.
    pub(super) fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    pub(super) fn take(&self) -> Option<NodeIndex> {
        if self.paused.load(Ordering::Relaxed) {
            return None;
        }
        let take = |state| {
            let (taken, published) = split(state);
            (taken < published).then(|| join(taken + 1, published))
        };
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).ok()?;
        self.slots.get(split(before).0 as usize).map(index_in)
    }

    /// How many nodes wait to be taken.
    pub(super) fn waiting(&self) -> usize {
        let (taken, published) = split(self.state.load(Ordering::Relaxed));
        (published - taken) as usize
    }

    /// Takes back what was not taken and gives the nodes that were, in order.
    pub(super) fn close(&self) -> impl Iterator<Item = NodeIndex> {
        let close = |state| {
            let (taken, _) = split(state);
            Some(join(taken, taken))
        };
        // The closure never refuses, so both arms hold the state before.
        let before = self.state.fetch_update(Ordering::AcqRel, Ordering::Acquire, close);
        let (taken, _) = split(before.unwrap_or_else(|state| state));
        (0..taken as usize).filter_map(|at| self.slots.get(at)).map(index_in)
    }
}

fn index_in(slot: &AtomicU32) -> NodeIndex {
    NodeIndex::new(slot.load(Ordering::Relaxed) as usize)
}

fn split(state: u64) -> (u32, u32) {
    let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or(u32::MAX);
    (half(state >> 32), half(state))
}

fn join(taken: u32, published: u32) -> u64 {
    u64::from(taken) << 32 | u64::from(published)
}
