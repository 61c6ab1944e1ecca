//! The state of a run that workers may read.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;
use tracing::Span;

use super::duplicates::may_have_duplicates;
use super::managed_so_far::RunClaims;
use super::node_flags::{AWAITED, CHANGES, Flags, LEFT_OUT, READ, WAITS_FOR_CHANGES, pattern_flags};
use super::partial_reports::Unfinished;
use super::pending_changes::PendingChanges;
use super::refreshes::Refreshes;
use super::selection::Needed;
use super::work_queue::WorkQueue;
use crate::events::approval::Approval;
use crate::events::event_queue::Room;
use crate::events::report::Stage;
use crate::graph::{Graph, Node, NodeId, NodeIndex, Role};
use crate::language::WorkBudget;
use crate::persistence::keep_store::KeptTexts;
use crate::persistence::shared_locks::HeldLocks;
use crate::redact::Redactor;
use crate::sdk::context::{Context, Pending, RunMode};
use crate::sdk::export::Exports;
use crate::state::RunLock;
use crate::system::System;
use crate::types::node_table::Rows;
use converge_graph::footprint::takes_turns;

/// The facts of a run that are fixed when it begins.
#[derive(Debug)]
pub(crate) struct RunSetup {
    pub(crate) context: Context,
    /// The budget shared by all expressions and templates of the run.
    pub(crate) budget: WorkBudget,
    /// The changes that are allowed, or `None` for all.
    pub(crate) approval: Option<Approval>,
    /// The nodes to work on.
    pub(crate) needed: Needed,
    /// Whether the reports say which paths the checks read.
    pub(crate) observes_reads: bool,
    /// Whether exports that nobody looks up are kept too.
    pub(crate) keeps_exports: bool,
    /// The texts kept by resources, or `None` without a place to store them.
    pub(crate) kept: Option<Arc<KeptTexts>>,
    /// The span that contains the logs of the run.
    pub(crate) span: Span,
    /// The room for progress events, or `None` without a subscriber.
    pub(crate) room: Option<Arc<Room>>,
}

/// The tables of a run.
///
/// Only the coordinator writes the data that workers read. It writes about a node before it publishes the
/// dependents, so a worker never sees a row change that it may read.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) graph: Arc<Graph>,
    pub(crate) setup: RunSetup,
    pub(crate) queue: WorkQueue,
    pub(crate) flags: Flags,
    /// Plan: the changes that it does not make.
    pub(crate) pending: PendingChanges,
    pub(crate) managed: RunClaims,
    /// The pending refreshes, or `None` if nothing has `on_change_of`.
    pub(crate) refreshes: Option<Refreshes>,
    pub(crate) held: HeldLocks,
    exports: Rows<OnceLock<Box<Exports>>>,
    /// The stage of each node, written only by its worker.
    stages: Rows<AtomicU8>,
    /// The reports of work that was aborted.
    pub(crate) unfinished: Unfinished,
    /// Cancelled when nothing new may begin.
    pub(crate) finish: CancellationToken,
    /// Whether the machine is booting, so that nothing new may begin.
    pub(crate) is_booting: AtomicBool,
}

impl Shared {
    /// Creates the tables of a run, which holds `lock` if it applies.
    pub(crate) fn new(
        graph: Arc<Graph>,
        setup: RunSetup,
        refreshes: Option<Refreshes>,
        lock: Option<RunLock>,
    ) -> Self {
        let len = graph.len();
        Self {
            queue: WorkQueue::new(len),
            flags: Flags::new(&graph),
            pending: PendingChanges::new(if setup.context.mode() == RunMode::Plan { len } else { 0 }),
            managed: RunClaims::default(),
            refreshes,
            held: HeldLocks::new(lock),
            exports: Rows::new(len, OnceLock::new),
            stages: Rows::new(len, AtomicU8::default),
            unfinished: Unfinished::default(),
            finish: CancellationToken::new(),
            is_booting: AtomicBool::new(false),
            setup,
            graph,
        }
    }

    /// Returns the context of one node.
    ///
    /// Its list of pending nodes is computed on first use. Most checks never use it, and in a long chain of
    /// changes the lists would take quadratic memory.
    pub(crate) fn context(self: &Arc<Self>, index: NodeIndex) -> Cow<'_, Context> {
        if !self.flags.has(index, WAITS_FOR_CHANGES) {
            // Cloning takes the lock of a token, on which the workers would contend.
            return Cow::Borrowed(&self.setup.context);
        }
        let shared = Arc::clone(self);
        let pending = Pending::lazy(move || shared.pending_ids(index));
        Cow::Owned(self.setup.context.clone().with_lazy_pending(pending))
    }

    /// Makes room for instances of this end node that were added to the graph.
    ///
    /// Every node that may look up an instance waits for the end node.
    pub(crate) fn grow(&self, end: NodeIndex, added: Range<usize>) {
        let len = added.end;
        self.flags.grow(len);
        self.exports.grow(len, OnceLock::new);
        self.stages.grow(len, AtomicU8::default);
        if self.mode() == RunMode::Plan {
            self.pending.grow(len);
        }
        let Some(deferred) = self.graph.node(end).deferred() else { return };
        let pattern_flags = pattern_flags(&deferred.pattern, self.flags.get(end));
        for (index, flags) in added.zip(pattern_flags.iter().cycle()) {
            self.flags.add(NodeIndex::new(index), *flags);
        }
    }

    /// Whether a node can ever be refreshed.
    pub(crate) fn is_refreshed(&self, index: NodeIndex) -> bool {
        self.refreshes.as_ref().is_some_and(|refreshes| refreshes.concerns(index))
    }

    /// Whether the run leaves out a node that it reaches.
    pub(crate) fn leaves_out(&self, index: NodeIndex) -> bool {
        self.setup.needed.leaves_out(index) || self.flags.has(index, LEFT_OUT)
    }

    /// Whether the run works on a node.
    pub(crate) fn works_on(&self, index: NodeIndex) -> bool {
        self.setup.needed.has(index) && !self.leaves_out(index)
    }

    pub(crate) fn mode(&self) -> RunMode {
        self.setup.context.mode()
    }

    /// Returns the redactor for all output.
    pub(crate) fn redactor(&self) -> &Redactor {
        self.graph.sources().redactor()
    }

    pub(crate) fn system(&self) -> &dyn System {
        self.setup.context.system()
    }

    /// Whether the scheduler decides when a node is applied: its type has a lock, or is applied in batches.
    pub(crate) fn is_scheduled(&self, index: NodeIndex) -> bool {
        self.schedules(self.graph.node(index))
    }

    /// Whether the scheduler decides when instances of a pattern node are applied.
    pub(crate) fn schedules(&self, node: &Node) -> bool {
        let resource = &node.resource;
        let is_scheduled = || resource.lock().is_some() || resource.batches() || takes_turns(node);
        self.mode() == RunMode::Apply && is_scheduled()
    }

    /// Whether nodes that do work wait for the end of this one.
    ///
    /// The end node of a module does no work and would only be woken for each resource in it.
    pub(crate) fn is_awaited(&self, index: NodeIndex) -> bool {
        self.holds_others(index) || self.flags.has(index, AWAITED)
    }

    /// Whether others must wait for this node because of a lock or a batch rather than an edge.
    pub(crate) fn holds_others(&self, index: NodeIndex) -> bool {
        let node = self.graph.node(index);
        let locked = self.mode() == RunMode::Apply && (node.group.is_some() || may_have_duplicates(node));
        locked || self.is_scheduled(index)
    }

    /// Whether the changes of a node matter to others: it has dependents, or the run may add some.
    pub(crate) fn is_asked_about(&self, index: NodeIndex) -> bool {
        !self.graph.dependents(index).is_empty() || self.graph.managed_in_run().uses.is_some()
    }

    /// Whether the exports of this node may be looked up, by another node or by the caller of the engine.
    pub(crate) fn is_read(&self, index: NodeIndex) -> bool {
        self.setup.keeps_exports || self.flags.has(index, READ) || self.graph.node(index).role == Role::Output
    }

    pub(crate) fn exports(&self, index: NodeIndex) -> Option<&Exports> {
        self.exports.get(index.as_usize())?.get().map(|exports| &**exports)
    }

    pub(crate) fn keep_exports(&self, index: NodeIndex, exports: Box<Exports>) {
        if let Some(slot) = self.exports.get(index.as_usize()) {
            // A node finishes only once, so the slot is empty.
            let _ = slot.set(exports);
        }
    }

    /// Returns the stage of a node, for the report of a lost worker.
    pub(crate) fn stage(&self, index: NodeIndex) -> Stage {
        let stage = self.stages.get(index.as_usize()).map_or(0, |stage| stage.load(Ordering::Relaxed));
        Stage::ALL.get(usize::from(stage)).copied().unwrap_or(Stage::Render)
    }

    pub(crate) fn enter(&self, index: NodeIndex, stage: Stage) {
        if let Some(slot) = self.stages.get(index.as_usize()) {
            slot.store(stage as u8, Ordering::Relaxed);
        }
    }

    /// Returns the dependencies of a node that have changes, sorted by id.
    fn pending_ids(&self, index: NodeIndex) -> Arc<[NodeId]> {
        let mut indexes = Vec::new();
        let mut visited = HashSet::new();
        let mut open = vec![index];
        while let Some(current) = open.pop() {
            for edge in self.graph.dependencies(current) {
                let flags = self.flags.get(edge.on) & (CHANGES | WAITS_FOR_CHANGES);
                if flags == 0 || !visited.insert(edge.on) {
                    continue;
                }
                if flags & CHANGES != 0 {
                    indexes.push(edge.on);
                }
                if flags & WAITS_FOR_CHANGES != 0 {
                    open.push(edge.on);
                }
            }
        }
        indexes.sort_unstable();
        indexes.into_iter().map(|current| self.graph.node(current).id.clone()).collect()
    }
}
