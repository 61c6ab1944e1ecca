//! Pending refreshes (`on_change_of`), caused by this run or left by an earlier one.

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::node_flags::{CERTAIN, Flags, TOUCHED};
use crate::events::difference::Difference;
use crate::events::error::EngineError;
use crate::graph::{EdgeReason, Graph, NodeIndex};
use crate::persistence::journal::{Found, Journal, JournalError, Record};
use crate::persistence::refresh_identity::Identity;
use crate::sdk::context::RunMode;

/// The maximum number of causes named in a report.
const MAX_NAMED_CAUSES: usize = 8;

#[derive(Debug)]
pub(crate) struct Refreshes {
    graph: Arc<Graph>,
    /// The journal entries of each node with `on_change_of`.
    ///
    /// Several changes may concern one node at once, and each may begin only after its record is written. The
    /// writer therefore holds the lock until then.
    pending: HashMap<NodeIndex, Arc<Mutex<PendingRefresh>>>,
    /// The same for instances that the run added, created on demand.
    ///
    /// A refresh that is pending for the end node is pending for each instance.
    added: std::sync::Mutex<HashMap<NodeIndex, Arc<Mutex<PendingRefresh>>>>,
    /// The nodes to refresh when this node, or something inside it, is changed.
    listeners: HashMap<NodeIndex, Vec<NodeIndex>>,
    /// The end nodes that contain each node, if one of them or an outer one has listeners.
    enclosing: HashMap<NodeIndex, Vec<NodeIndex>>,
    journal: Option<Journal>,
}

/// The journal entries of one node, or `None` before they are read.
type PendingRefresh = Option<Vec<Found>>;

/// A function that computes the identity of a node.
///
/// It is called only if a refresh is pending, because it costs more than looking for one.
pub(super) type Identify<'a> = &'a (dyn Fn(NodeIndex) -> Identifying<'a> + Sync);

/// A future that computes an identity.
pub(super) type Identifying<'a> = Pin<Box<dyn Future<Output = Result<Identity, EngineError>> + Send + 'a>>;

/// The reason why a node has to be refreshed.
#[derive(Debug)]
pub(crate) struct RefreshCause {
    /// The reason as text.
    reason: String,
    /// Whether the refresh is certain rather than dependent on other changes.
    pub(crate) is_certain: bool,
}

impl RefreshCause {
    pub(crate) fn difference(&self) -> Difference {
        Difference { changes: true, refresh: true, ..Difference::new("refresh", "", &self.reason) }
    }
}

impl Refreshes {
    /// Creates the table, or returns `None` if nothing in the graph has `on_change_of`.
    pub(crate) fn new(graph: Arc<Graph>, journal: Option<Journal>) -> Option<Self> {
        let mut pending = HashMap::new();
        let mut listeners: HashMap<_, Vec<_>> = HashMap::new();
        for (index, _) in graph.nodes() {
            for dependency in named(&graph, index) {
                pending.entry(index).or_insert_with(Arc::default);
                listeners.entry(dependency).or_default().push(index);
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

    /// Whether a node can ever be refreshed.
    pub(crate) fn concerns(&self, index: NodeIndex) -> bool {
        self.pending.contains_key(&index)
            || is_added(&self.graph, index) && named(&self.graph, index).next().is_some()
    }

    /// Returns the journal entries of a node, or `None` if it is never refreshed.
    fn pending(&self, index: NodeIndex) -> Option<Arc<Mutex<PendingRefresh>>> {
        match self.pending.get(&index) {
            None if self.concerns(index) => {
                let mut added = self.added.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                Some(Arc::clone(added.entry(index).or_default()))
            }
            pending => pending.cloned(),
        }
    }

    /// Returns the reason why a node has to be refreshed now, or `None` if it does not.
    ///
    /// # Errors
    ///
    /// The record of the node cannot be read.
    pub(crate) async fn cause(
        &self,
        index: NodeIndex,
        flags: &Flags,
        mode: RunMode,
        identify: Identify<'_>,
    ) -> Result<Option<RefreshCause>, JournalError> {
        let Some(pending) = self.pending(index) else { return Ok(None) };
        let mut end_cause = None;
        for end in self.graph.ends_of_added(index) {
            // A refresh that is pending for an end node concerns changes outside of it.
            let is_inside = |dependency| self.graph.ends_of_added(dependency).any(|end_node| end_node == end);
            if end_cause.is_none() && !named(&self.graph, index).all(is_inside) {
                end_cause = self.cause_for_all(end, identify).await?;
            }
        }
        // The record is read even if it is not needed, so that an unreadable one is reported.
        let mut pending = pending.lock().await;
        let entries = self.found(&mut pending, index, identify).await?;
        if let (RunMode::Apply, Some(journal)) = (mode, &self.journal) {
            for old_entry in entries.extract_if(.., |entry| entry.is_over) {
                journal.refreshed(&old_entry).await?;
            }
        }
        let earlier = entries.iter().find(|entry| !entry.is_over);
        let earlier =
            || earlier.map(|entry| RefreshCause { reason: entry.record.reason(), is_certain: true });
        Ok(self.cause_in_this_run(index, flags, mode).or_else(earlier).or(end_cause))
    }

    /// Returns the refresh that an earlier run left pending for all instances of an end node.
    async fn cause_for_all(
        &self,
        end: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<Option<RefreshCause>, JournalError> {
        let Some(pending) = self.pending(end) else { return Ok(None) };
        let mut pending = pending.lock().await;
        let earlier = self.found(&mut pending, end, identify).await?.first();
        Ok(earlier.map(|entry| RefreshCause { reason: entry.record.reason(), is_certain: true }))
    }

    /// Returns the reason from changes of this run to the nodes that `on_change_of` names.
    fn cause_in_this_run(&self, index: NodeIndex, flags: &Flags, mode: RunMode) -> Option<RefreshCause> {
        let touched: Vec<_> =
            named(&self.graph, index).filter(|dependency| flags.has(*dependency, TOUCHED)).collect();
        if touched.is_empty() {
            return None;
        }
        let is_certain = touched.iter().any(|dependency| flags.has(*dependency, CERTAIN));
        // Uncertain causes are not listed if there is a certain one.
        let causes = touched.iter().filter(|dependency| !is_certain || flags.has(**dependency, CERTAIN));
        let mut names: Vec<&str> = causes.map(|dependency| self.graph.node(*dependency).id.short()).collect();
        if names.len() > MAX_NAMED_CAUSES {
            names.truncate(MAX_NAMED_CAUSES);
            names.push("..");
        }
        let verb = match (mode, is_certain) {
            (RunMode::Apply, _) => "changed",
            (RunMode::Plan, true) => "will change",
            (RunMode::Plan, false) => "may change",
        };
        Some(RefreshCause { reason: format!("because {} {verb}", names.join(", ")), is_certain })
    }

    /// Records the nodes to refresh when this one is changed.
    ///
    /// The node must not be changed before this returns, nor if this fails.
    pub(crate) async fn record_listeners(
        &self,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<(), NotRecorded> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut changed = vec![index];
        let mut position = 0;
        while let Some(&dependency) = changed.get(position) {
            position += 1;
            let (end_nodes, added) = self.ends_and_listeners_of_added(dependency);
            let enclosing_ends = self.enclosing.get(&dependency).into_iter().flatten().copied();
            for end in enclosing_ends.chain(end_nodes) {
                if !changed.contains(&end) {
                    changed.push(end);
                }
            }
            for &listener in self.listeners.get(&dependency).into_iter().flatten().chain(&added) {
                self.record_cause(journal, listener, dependency, identify).await.map_err(|error| {
                    NotRecorded { node: self.graph.node(listener).id.short().to_owned(), error }
                })?;
            }
        }
        Ok(())
    }

    /// Returns the end nodes directly around an added node, and the nodes refreshed by its change.
    fn ends_and_listeners_of_added(&self, index: NodeIndex) -> (Vec<NodeIndex>, Vec<NodeIndex>) {
        let graph = &self.graph;
        if !is_added(graph, index) {
            return Default::default();
        }
        let waits_by = |from: NodeIndex, is: fn(EdgeReason) -> bool| {
            graph.dependencies(from).iter().any(|edge| edge.on == index && is(edge.reason))
        };
        let dependents = graph.dependents(index).iter().copied();
        let end_nodes = dependents
            .clone()
            .filter(|end| graph.node(*end).role.is_end() && waits_by(*end, EdgeReason::is_part));
        let listeners = dependents.filter(|from| waits_by(*from, |reason| reason == EdgeReason::OnChange));
        (end_nodes.collect(), listeners.collect())
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
        let entries = self.found(&mut pending, index, identify).await?;
        journal.add(entries, node, cause, identify(index)).await
    }

    /// Clears the pending refresh of a node that was refreshed and is as declared.
    pub(crate) async fn refreshed(
        &self,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<(), JournalError> {
        let (Some(journal), Some(pending)) = (&self.journal, self.pending(index)) else { return Ok(()) };
        let mut pending = pending.lock().await;
        let entries = self.found(&mut pending, index, identify).await?;
        while let Some(last) = entries.last() {
            journal.refreshed(last).await?;
            entries.pop();
        }
        Ok(())
    }

    /// Removes and returns old pending refreshes of resources that no longer exist.
    pub(crate) async fn forget(&self) -> Result<Vec<Record>, JournalError> {
        match &self.journal {
            Some(journal) => journal.forget(|id| self.is_here(id)).await,
            None => Ok(Vec::new()),
        }
    }

    /// Whether a node is in the graph, or may be added to it.
    fn is_here(&self, id: &str) -> bool {
        self.graph.find(id).is_some() || self.graph.deferred_of(id).is_some()
    }

    /// Returns the journal entries of a node, which are read once.
    async fn found<'p>(
        &self,
        pending: &'p mut PendingRefresh,
        index: NodeIndex,
        identify: Identify<'_>,
    ) -> Result<&'p mut Vec<Found>, JournalError> {
        if pending.is_none() {
            let entries = match &self.journal {
                None => Vec::new(),
                Some(journal) => {
                    let is_here = |id: &str| self.is_here(id);
                    let node = self.graph.node(index);
                    let by_boot = node.resource.is_refreshed_by_boot();
                    journal.find(&node.id, || identify(index), is_here, by_boot).await?
                }
            };
            *pending = Some(entries);
        }
        Ok(pending.get_or_insert_default())
    }
}

/// The error that a future refresh could not be recorded.
#[derive(Debug, thiserror::Error)]
#[error("nothing was changed, because the pending refresh of `{node}` could not be recorded: {error}")]
pub(crate) struct NotRecorded {
    node: String,
    error: JournalError,
}

/// Whether the run added the node.
fn is_added(graph: &Graph, index: NodeIndex) -> bool {
    graph.ends_of_added(index).next().is_some()
}

/// Whether a pattern of deferred instances contains `on_change_of`.
fn has_more_in_patterns(graph: &Graph) -> bool {
    let patterns = graph.declared().filter_map(|node| Some(&node.deferred()?.pattern));
    { patterns }.any(|pattern| {
        let waits = |place| pattern.waits(place).iter();
        (0..pattern.len()).flat_map(waits).any(|edge| edge.reason == EdgeReason::OnChange)
    })
}

/// Returns the nodes that `on_change_of` of a node names.
fn named(graph: &Graph, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
    let edges = graph.dependencies(index).iter().filter(|edge| edge.reason == EdgeReason::OnChange);
    edges.map(|edge| edge.on)
}

/// Returns the end nodes around each node inside the given end nodes, at any depth.
fn enclosing(
    graph: &Graph,
    end_nodes: impl Iterator<Item = NodeIndex>,
) -> HashMap<NodeIndex, Vec<NodeIndex>> {
    let mut enclosing: HashMap<_, Vec<_>> = HashMap::new();
    let mut open: Vec<NodeIndex> = end_nodes.collect();
    let mut visited: HashSet<NodeIndex> = open.iter().copied().collect();
    while let Some(end) = open.pop() {
        for part in graph.parts(end) {
            enclosing.entry(part).or_default().push(end);
            if visited.insert(part) {
                open.push(part);
            }
        }
    }
    enclosing
}
