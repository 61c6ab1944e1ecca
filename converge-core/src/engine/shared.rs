//! What the workers of a run may read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, Ordering};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::event::Stage;
use super::flags::{AWAITED, CHANGES, READ, WAITS_FOR_CHANGES};
use super::queue::Queue;
use super::refresh::Refreshes;
use super::twins::may_have_twins;
use crate::context::{Context, Mode, Pending};
use crate::export::Exports;
use crate::graph::{Graph, NodeId, NodeIndex};
use crate::system::System;

const STAGES: [Stage; 6] =
    [Stage::Render, Stage::Prepare, Stage::Check, Stage::Apply, Stage::Refresh, Stage::CheckAfterApply];

/// The tables of a run. Only the coordinator writes what workers read, and it writes about a node
/// before it publishes the ones that wait for it, so a worker never sees a row change that it may read.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) graph: Arc<Graph>,
    pub(super) system: Arc<dyn System>,
    pub(super) queue: Queue,
    /// Whether something waits for a worker that is not in the queue.
    relief: AtomicBool,
    /// Who refreshes when what is changed; `None` when nobody does.
    pub(super) refreshes: Option<Refreshes>,
    /// Cancelled when nothing more is to be begun.
    finish: CancellationToken,
    context: Context,
    exports: Box<[OnceLock<Box<Exports>>]>,
    flags: Box<[AtomicU16]>,
    /// How far the work on each node is. Only its worker writes here.
    stages: Box<[AtomicU8]>,
}

impl Shared {
    pub(super) fn new(
        graph: Arc<Graph>,
        system: Arc<dyn System>,
        context: Context,
        finish: CancellationToken,
        refreshes: Option<Refreshes>,
    ) -> Self {
        let len = graph.len();
        Self {
            queue: Queue::new(len),
            relief: AtomicBool::new(false),
            refreshes,
            finish,
            context,
            exports: (0..len).map(|_| OnceLock::new()).collect(),
            flags: readers(&graph).into_iter().map(AtomicU16::new).collect(),
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

    /// Completes when nothing more is to be begun.
    pub(super) fn finish(&self) -> &CancellationToken {
        &self.finish
    }

    /// The next node from the queue, for a worker whose place nobody else needs.
    pub(super) fn take(&self) -> Option<NodeIndex> {
        if self.relief.load(Ordering::Relaxed) { None } else { self.queue.take() }
    }

    /// Says whether workers are to end when they are done with their node.
    pub(super) fn ask_for_relief(&self, asked: bool) {
        self.relief.store(asked, Ordering::Relaxed);
    }

    /// Whether the type of a node says when it may be applied: it has a lock, or is applied in batches.
    pub(super) fn takes_turns(&self, index: NodeIndex) -> bool {
        let resource = &self.graph.node(index).resource;
        self.mode() == Mode::Apply && (resource.lock().is_some() || resource.batches())
    }

    /// Whether others wait for the end of this node to do work. The end of a module does none, and would only be
    /// woken for each resource in it.
    pub(super) fn is_awaited(&self, index: NodeIndex) -> bool {
        let node = self.graph.node(index);
        let locked = self.mode() == Mode::Apply && (node.group.is_some() || may_have_twins(node));
        locked || self.takes_turns(index) || self.has(index, AWAITED)
    }

    /// Whether somebody may look up what this node exports.
    pub(super) fn is_read(&self, index: NodeIndex) -> bool {
        self.has(index, READ)
    }

    pub(super) fn has(&self, index: NodeIndex, flag: u16) -> bool {
        self.flags(index) & flag != 0
    }

    pub(super) fn flags(&self, index: NodeIndex) -> u16 {
        self.flags.get(index.as_usize()).map_or(0, |flags| flags.load(Ordering::Acquire))
    }

    pub(super) fn add_flags(&self, index: NodeIndex, flags: u16) {
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
                let flags = self.flags(edge.on) & (CHANGES | WAITS_FOR_CHANGES);
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

/// The flags that are known before the run: whose exports somebody may read, and whose end somebody waits for.
///
/// A lookup may lead to everything that its node waits for, however far away. Ends read nothing, so
/// what is in a module that nobody waits for need not be kept.
fn readers(graph: &Graph) -> Vec<u16> {
    let mut flags = vec![0; graph.len()];
    let does_work = |index| {
        let node = graph.node(index);
        !node.role.is_structure() || node.meta.as_ref().is_some_and(|meta| meta.when.is_some())
    };
    let mut open: Vec<NodeIndex> =
        graph.nodes().map(|(index, _)| index).filter(|index| does_work(*index)).collect();
    while let Some(index) = open.pop() {
        for edge in graph.dependencies(index) {
            let Some(flags) = flags.get_mut(edge.on.as_usize()) else { continue };
            if !graph.node(index).role.is_end() {
                *flags |= AWAITED;
            }
            if *flags & READ == 0 {
                *flags |= READ;
                if !does_work(edge.on) {
                    open.push(edge.on);
                }
            }
        }
    }
    flags
}
