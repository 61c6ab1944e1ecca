//! What the workers of a run may read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use super::event::Stage;
use super::queue::Queue;
use crate::context::{Context, Mode, Pending};
use crate::export::Exports;
use crate::graph::{Graph, NodeId, NodeIndex};
use crate::system::System;

/// An apply would change the node, or may.
pub(super) const CHANGES: u8 = 1;
/// Something that the node waits for, however far away, has [`CHANGES`].
pub(super) const WAITS_FOR_CHANGES: u8 = 2;

const STAGES: [Stage; 5] =
    [Stage::Render, Stage::Prepare, Stage::Check, Stage::Apply, Stage::CheckAfterApply];

/// The tables of a run. Only the coordinator writes what workers read, and it writes about a node
/// before it publishes the ones that wait for it, so a worker never sees a row change that it may read.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) graph: Arc<Graph>,
    pub(super) system: Arc<dyn System>,
    pub(super) queue: Queue,
    context: Context,
    exports: Box<[OnceLock<Box<Exports>>]>,
    flags: Box<[AtomicU8]>,
    /// How far the work on each node is. Only its worker writes here.
    stages: Box<[AtomicU8]>,
}

impl Shared {
    pub(super) fn new(graph: Arc<Graph>, system: Arc<dyn System>, context: Context) -> Self {
        let len = graph.len();
        Self {
            queue: Queue::new(len),
            context,
            exports: (0..len).map(|_| OnceLock::new()).collect(),
            flags: (0..len).map(|_| AtomicU8::new(0)).collect(),
            stages: (0..len).map(|_| AtomicU8::new(0)).collect(),
            graph,
            system,
        }
    }

    /// The context of one node. Its list of pending nodes is made when it is first asked for: most
    /// checks never ask, and in a long chain of changes the lists would take quadratic room.
    pub(super) fn context(self: &Arc<Self>, index: NodeIndex) -> Cow<'_, Context> {
        if self.flags(index) & WAITS_FOR_CHANGES == 0 {
            // A clone takes a lock, for the token in it, and workers would meet there.
            return Cow::Borrowed(&self.context);
        }
        let shared = Arc::clone(self);
        let pending = Pending::lazy(move || shared.pending(index));
        Cow::Owned(self.context.clone().with_lazy_pending(pending))
    }

    pub(super) fn mode(&self) -> Mode {
        self.context.mode()
    }

    /// Whether others wait for the end of this node.
    pub(super) fn is_awaited(&self, index: NodeIndex) -> bool {
        let locked = self.mode() == Mode::Apply && self.graph.node(index).group.is_some();
        locked || !self.graph.dependents(index).is_empty()
    }

    pub(super) fn flags(&self, index: NodeIndex) -> u8 {
        self.flags.get(index.as_usize()).map_or(0, |flags| flags.load(Ordering::Acquire))
    }

    pub(super) fn add_flags(&self, index: NodeIndex, flags: u8) {
        if let Some(have) = self.flags.get(index.as_usize()) {
            have.fetch_or(flags, Ordering::Release);
        }
    }

    pub(super) fn exports(&self, index: NodeIndex) -> Option<&Exports> {
        self.exports.get(index.as_usize())?.get().map(|exports| &**exports)
    }

    pub(super) fn keep_exports(&self, index: NodeIndex, exports: Box<Exports>) {
        if let Some(slot) = self.exports.get(index.as_usize()) {
            // A node finishes once, so the slot is empty.
            let _ = slot.set(exports);
        }
    }

    /// The step that a node is at, for when its worker is lost.
    pub(super) fn stage(&self, index: NodeIndex) -> Stage {
        let stage = self.stages.get(index.as_usize()).map_or(0, |stage| stage.load(Ordering::Relaxed));
        STAGES.get(usize::from(stage)).copied().unwrap_or(Stage::Render)
    }

    pub(super) fn enter(&self, index: NodeIndex, stage: Stage) {
        if let Some(slot) = self.stages.get(index.as_usize()) {
            slot.store(stage as u8, Ordering::Relaxed);
        }
    }

    /// The nodes with changes that this one waits for, sorted by id.
    fn pending(&self, index: NodeIndex) -> Arc<[NodeId]> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        let mut open = vec![index];
        while let Some(at) = open.pop() {
            for edge in self.graph.dependencies(at) {
                let flags = self.flags(edge.on);
                if flags == 0 || !seen.insert(edge.on) {
                    continue;
                }
                if flags & CHANGES != 0 {
                    found.push(edge.on);
                }
                if flags & WAITS_FOR_CHANGES != 0 {
                    open.push(edge.on);
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|at| self.graph.node(at).id.clone()).collect()
    }
}
