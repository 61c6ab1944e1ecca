//! Tracks pending refreshes: which nodes must be refreshed after a change (`on_change_of`), and which still have to be
//! since an earlier run.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::difference::Difference;
use super::error::EngineError;
use super::journal::{Found, Journal, JournalError, Record};
use super::node_flags::{CERTAIN, Flags, TOUCHED};
use super::refresh_identity::Identity;
use crate::graph::{EdgeReason, Graph, NodeIndex};
use crate::sdk::context::RunMode;

/// How many causes a report names.
const NAMED: usize = 8;

#[derive(Debug)]
pub(super) struct Refreshes {
    graph: Arc<Graph>,
    /// By the node with `on_change_of`. Several changes may concern it at once, and each of them is begun only when it
    /// is written down, so the writer holds the lock until that is done.
    pending: HashMap<NodeIndex, Arc<Mutex<PendingRefresh>>>,
    /// The same of instances that the run added, as far as somebody asked. What is owed to their end is owed to each.
    added: std::sync::Mutex<HashMap<NodeIndex, Arc<Mutex<PendingRefresh>>>>,
    /// The nodes to refresh when this one, or something in it, is changed.
    listeners: HashMap<NodeIndex, Vec<NodeIndex>>,
    /// The ends that hold a node, where one of them or one around it has listeners.
    enclosing: HashMap<NodeIndex, Vec<NodeIndex>>,
    journal: Option<Journal>,
}

/// What the journal says that one node owes; `None` before it was asked.
type PendingRefresh = Option<Vec<Found>>;

/// Gives the identity of a node. It is asked for only when something is owed, as it takes more than to look for that.
pub(super) type Identify<'a> = &'a (dyn Fn(NodeIndex) -> Identifying<'a> + Sync);

/// An identity that is being found out.
pub(super) type Identifying<'a> = Pin<Box<dyn Future<Output = Result<Identity, EngineError>> + Send + 'a>>;

/// Why a node is to be refreshed.
#[derive(Debug)]
pub(super) struct RefreshCause {
    /// In words.
    reason: String,
    /// Whether the refresh does not depend on what others do first.
    pub(super) is_certain: bool,
}

impl RefreshCause {
    pub(super) fn difference(&self) -> Difference {
        Difference { changes: true, refresh: true, ..Difference::new("refresh", "", &self.reason) }
    }
}

impl Refreshes {
    /// `None` when nothing in the graph has `on_change_of`.
    pub(super) fn new(graph: Arc<Graph>, journal: Option<Journal>) -> Option<Self> {
        let mut pending = HashMap::new();
        let mut listeners: HashMap<_, Vec<_>> = HashMap::new();
        for (index, _) in graph.nodes() {
            for on in named(&graph, index) {
                pending.entry(index).or_insert_with(Arc::default);
                listeners.entry(on).or_default().push(index);
            }
        }
        let enclosing = enclosing(&graph, listeners.keys().copied());
        (!pending.is_empty() || has_more_in_patterns(&graph)).then(|| Self {
            graph,
            pending,
            added: std::sync::Mutex::default(),
            listeners,
            enclosing,
            journal,
        })
    }

    /// Whether a node is ever refreshed.
    pub(super) fn concerns(&self, index: NodeIndex) -> bool {
        self.pending.contains_key(&index)
            || is_added(&self.graph, index) && named(&self.graph, index).next().is_some()
    }

    /// What is known of what a node owes; `None` when it is never refreshed.
    fn pending(&self, index: NodeIndex) -> Option<Arc<Mutex<PendingRefresh>>> {
        match self.pending.get(&index) {
            None if self.concerns(index) => {
                let mut added = self.added.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                Some(Arc::clone(added.entry(index).or_default()))
            }
            pending => pending.cloned(),
        }
    }

    /// Why a node is to be refreshed now; `None` when it is not.
    ///
    /// # Errors
    ///
    /// When its record cannot be read.
    pub(super) async fn cause(
        &self,
        index: NodeIndex,
        flags: &Flags,
        mode: RunMode,
        identify: Identify<'_>,
    ) -> Result<Option<RefreshCause>, JournalError> {
        let Some(pending) = self.pending(index) else { return Ok(None) };
        let mut all = None;
        for end in self.graph.ends_of_added(index) {
            // What is owed to an end is about changes around it.
            let is_inside = |on| self.graph.ends_of_added(on).any(|around| around == end);
            if all.is_none() && !named(&self.graph, index).all(is_inside) {
                all = self.owed(end, identify).await?;
            }
        }
        // Read also when it is not needed, so that a record that cannot be read is found.
        let mut pending = pending.lock().await;
        let found = self.found(&mut pending, index, identify).await?;
        if let (RunMode::Apply, Some(journal)) = (mode, &self.journal) {
            for over in found.extract_if(.., |found| found.is_over) {
                journal.refreshed(&over).await?;
            }
        }
        let earlier = found.iter().find(|found| !found.is_over);
        let earlier =
            || earlier.map(|found| RefreshCause { reason: found.record.reason(), is_certain: true });
        Ok(self.cause_in_this_run(index, flags, mode).or_else(earlier).or(all))
    }

    /// What an earlier run left owed to all instances of an end.
    async fn owed(
        &self,
        end: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<Option<RefreshCause>, JournalError> {
        let Some(pending) = self.pending(end) else { return Ok(None) };
        let mut pending = pending.lock().await;
        let earlier = self.found(&mut pending, end, identify).await?.first();
        Ok(earlier.map(|found| RefreshCause { reason: found.record.reason(), is_certain: true }))
    }

    /// What was changed in this run, or in a plan will be, of what a node names.
    fn cause_in_this_run(&self, index: NodeIndex, flags: &Flags, mode: RunMode) -> Option<RefreshCause> {
        let touched: Vec<_> = named(&self.graph, index).filter(|on| flags.has(*on, TOUCHED)).collect();
        if touched.is_empty() {
            return None;
        }
        let is_certain = touched.iter().any(|on| flags.has(*on, CERTAIN));
        // What is certain is enough of a reason.
        let causes = touched.iter().filter(|on| !is_certain || flags.has(**on, CERTAIN));
        let mut names: Vec<&str> = causes.map(|on| self.graph.node(*on).id.short()).collect();
        if names.len() > NAMED {
            names.truncate(NAMED);
            names.push("..");
        }
        let verb = match (mode, is_certain) {
            (RunMode::Apply, _) => "changed",
            (RunMode::Plan, true) => "will change",
            (RunMode::Plan, false) => "may change",
        };
        Some(RefreshCause { reason: format!("because {} {verb}", names.join(", ")), is_certain })
    }

    /// Writes down which nodes are to be refreshed when this one is changed. It must not be changed before, nor when
    /// this fails.
    pub(super) async fn record_listeners(
        &self,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<(), NotRecorded> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut changed = vec![index];
        let mut at = 0;
        while let Some(&on) = changed.get(at) {
            at += 1;
            let (ends, added) = self.of_added(on);
            let around = self.enclosing.get(&on).into_iter().flatten().copied();
            for end in around.chain(ends) {
                if !changed.contains(&end) {
                    changed.push(end);
                }
            }
            for &listener in self.listeners.get(&on).into_iter().flatten().chain(&added) {
                self.record_cause(journal, listener, on, identify).await.map_err(|error| NotRecorded {
                    node: self.graph.node(listener).id.short().to_owned(),
                    error,
                })?;
            }
        }
        Ok(())
    }

    /// The ends that a node which the run added is directly in, and the nodes that are refreshed when it is changed.
    fn of_added(&self, index: NodeIndex) -> (Vec<NodeIndex>, Vec<NodeIndex>) {
        let graph = &self.graph;
        if !is_added(graph, index) {
            return Default::default();
        }
        let waits_by = |from: NodeIndex, is: fn(EdgeReason) -> bool| {
            graph.dependencies(from).iter().any(|edge| edge.on == index && is(edge.reason))
        };
        let dependents = graph.dependents(index).iter().copied();
        let ends = dependents
            .clone()
            .filter(|end| graph.node(*end).role.is_end() && waits_by(*end, EdgeReason::is_part));
        let listeners = dependents.filter(|from| waits_by(*from, |reason| reason == EdgeReason::OnChange));
        (ends.collect(), listeners.collect())
    }

    async fn record_cause(
        &self,
        journal: &Journal,
        index: NodeIndex,
        cause: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<(), JournalError> {
        let Some(pending) = self.pending(index) else { return Ok(()) };
        let mut pending = pending.lock().await;
        let (node, cause) = (&self.graph.node(index).id, self.graph.node(cause).id.short());
        let found = self.found(&mut pending, index, identify).await?;
        journal.add(found, node, cause, identify(index)).await
    }

    /// A node was refreshed, and is as declared.
    pub(super) async fn refreshed(
        &self,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<(), JournalError> {
        let (Some(journal), Some(pending)) = (&self.journal, self.pending(index)) else { return Ok(()) };
        let mut pending = pending.lock().await;
        let found = self.found(&mut pending, index, identify).await?;
        while let Some(last) = found.last() {
            journal.refreshed(last).await?;
            found.pop();
        }
        Ok(())
    }

    /// What is owed by resources that are nowhere any more is owed no longer. Says what that was.
    pub(super) async fn forget(&self) -> Result<Vec<Record>, JournalError> {
        match &self.journal {
            Some(journal) => journal.forget(|id| self.is_here(id)).await,
            None => Ok(Vec::new()),
        }
    }

    /// Whether a node is in the graph, or may be added to it.
    fn is_here(&self, id: &str) -> bool {
        self.graph.find(id).is_some() || self.graph.deferred_of(id).is_some()
    }

    /// What a node owes, which is read once.
    async fn found<'p>(
        &self,
        pending: &'p mut PendingRefresh,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<&'p mut Vec<Found>, JournalError> {
        if pending.is_none() {
            let found = match &self.journal {
                None => Vec::new(),
                Some(journal) => {
                    let is_here = |id: &str| self.is_here(id);
                    let node = self.graph.node(index);
                    let by_boot = node.resource.is_refreshed_by_boot();
                    journal.find(&node.id, || identify(index), is_here, by_boot).await?
                }
            };
            *pending = Some(found);
        }
        Ok(pending.get_or_insert_default())
    }
}

/// It could not be written down that a node will have to be refreshed.
#[derive(Debug, thiserror::Error)]
#[error(
    "nothing was changed, because the refresh of `{node}` that follows could not be written down: {error}"
)]
pub(super) struct NotRecorded {
    node: String,
    error: JournalError,
}

/// Whether a run added a node.
fn is_added(graph: &Graph, index: NodeIndex) -> bool {
    graph.ends_of_added(index).next().is_some()
}

/// Whether something has `on_change_of` of what instances are made from that only a run knows.
fn has_more_in_patterns(graph: &Graph) -> bool {
    let patterns = graph.declared().filter_map(|node| Some(&node.deferred()?.pattern));
    { patterns }.any(|pattern| {
        let waits = |place| pattern.waits(place).iter();
        (0..pattern.len()).flat_map(waits).any(|edge| edge.reason == EdgeReason::OnChange)
    })
}

/// What the `on_change_of` of a node names.
fn named(graph: &Graph, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let edges = graph.dependencies(index).iter().filter(|edge| edge.reason == EdgeReason::OnChange);
    edges.map(|edge| edge.on)
}

/// The ends around each node that is in one of these, however deep.
fn enclosing(graph: &Graph, ends: impl Iterator<Item = NodeIndex>) -> HashMap<NodeIndex, Vec<NodeIndex>> {
    let mut enclosing: HashMap<_, Vec<_>> = HashMap::new();
    let mut open: Vec<NodeIndex> = ends.collect();
    let mut seen: HashSet<NodeIndex> = open.iter().copied().collect();
    while let Some(end) = open.pop() {
        for part in graph.parts(end) {
            enclosing.entry(part).or_default().push(end);
            if seen.insert(part) {
                open.push(part);
            }
        }
    }
    enclosing
}
