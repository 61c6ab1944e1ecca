//! `on_change_of`: who is refreshed when what was changed, and what is owed.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::event::Difference;
use super::flags::{CERTAIN, TOUCHED};
use super::journal::{Journal, JournalError, Record};
use super::shared::Shared;
use crate::context::{Mode, RunId};
use crate::graph::{EdgeReason, Graph, NodeIndex};
use crate::system::System;

/// How many causes a report names.
const NAMED: usize = 8;

/// The nodes with `on_change_of`.
#[derive(Debug)]
pub(super) struct Refreshes {
    /// The nodes that refresh themselves, with what each owes.
    owing: HashMap<NodeIndex, Owing>,
    /// Those that a change of the node, or of something in it, concerns.
    listeners: HashMap<NodeIndex, Vec<NodeIndex>>,
    /// The ends that hold a node, where somebody listens to one of them or to one around it.
    around: HashMap<NodeIndex, Vec<NodeIndex>>,
    journal: Option<Journal>,
    system: Arc<dyn System>,
    run: RunId,
}

/// What one node owes. Several changes may concern it at once, and each of them is begun only when it is
/// written down, so who writes holds the lock until that is done.
#[derive(Debug, Default)]
struct Owing(Mutex<Slot>);

#[derive(Debug, Default)]
enum Slot {
    #[default]
    Unread,
    Known(Option<Record>),
}

/// Why a node is to be refreshed.
#[derive(Debug)]
pub(super) struct Due {
    /// In words.
    pub(super) reason: String,
    /// Whether it is certain, or depends on what others do first.
    pub(super) certain: Certain,
}

/// Whether something is known now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certain {
    Yes,
    No,
}

impl Due {
    /// How reports show it.
    pub(super) fn difference(&self) -> Difference {
        Difference {
            name: Difference::REFRESH.to_owned(),
            original: String::new(),
            current: self.reason.clone(),
            changes: true,
        }
    }
}

impl Refreshes {
    /// `None` when nothing in the graph has `on_change_of`.
    pub(super) fn new(
        graph: &Graph,
        journal: Option<Journal>,
        system: Arc<dyn System>,
        run: RunId,
    ) -> Option<Self> {
        let mut owing = HashMap::new();
        let mut listeners: HashMap<_, Vec<_>> = HashMap::new();
        for (index, _) in graph.nodes() {
            let named = graph.dependencies(index).iter().filter(|edge| edge.reason == EdgeReason::OnChange);
            for edge in named {
                owing.entry(index).or_insert_with(Owing::default);
                listeners.entry(edge.on).or_default().push(index);
            }
        }
        if owing.is_empty() {
            return None;
        }
        let around = around(graph, listeners.keys().copied());
        Some(Self { owing, listeners, around, journal, system, run })
    }

    /// Whether a node is refreshed at all.
    pub(super) fn watches(&self, index: NodeIndex) -> bool {
        self.owing.contains_key(&index)
    }

    /// Why a node is to be refreshed now; `None` when it is not.
    ///
    /// # Errors
    ///
    /// When nobody can say what it owes.
    pub(super) async fn due(&self, shared: &Shared, index: NodeIndex) -> Result<Option<Due>, JournalError> {
        let graph = &shared.graph;
        let Some(owing) = self.owing.get(&index) else { return Ok(None) };
        let now = causes(shared, index);
        // Known also when it is not needed, so that a record that cannot be read is found.
        let mut slot = owing.0.lock().await;
        let owed = self.known(&mut slot, graph, index).await?;
        Ok(match (now, owed) {
            (Some(due), _) => Some(due),
            (None, Some(record)) => Some(Due { reason: record.reason(), certain: Certain::Yes }),
            (None, None) => None,
        })
    }

    /// Writes down who is to be refreshed when this node is changed. It must not be changed before, nor when this
    /// fails.
    pub(super) async fn announce(&self, graph: &Graph, index: NodeIndex) -> Result<(), Unannounced> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let mut open = vec![index];
        let mut at = 0;
        while let Some(&concerned) = open.get(at) {
            at += 1;
            for &end in self.around.get(&concerned).into_iter().flatten() {
                if !open.contains(&end) {
                    open.push(end);
                }
            }
            let cause = graph.node(concerned).id.short();
            for listener in self.listeners.get(&concerned).into_iter().flatten() {
                self.add(journal, graph, *listener, cause).await.map_err(|error| Unannounced {
                    node: graph.node(*listener).id.short().to_owned(),
                    error,
                })?;
            }
        }
        Ok(())
    }

    async fn add(
        &self,
        journal: &Journal,
        graph: &Graph,
        index: NodeIndex,
        cause: &str,
    ) -> Result<(), JournalError> {
        let Some(owing) = self.owing.get(&index) else { return Ok(()) };
        let mut slot = owing.0.lock().await;
        let have = self.known(&mut slot, graph, index).await?.cloned();
        let node = &graph.node(index).id;
        let record = journal.add(&*self.system, have, node, &self.run, cause).await?;
        *slot = Slot::Known(Some(record));
        Ok(())
    }

    /// A node was refreshed, and is as declared.
    pub(super) async fn made(&self, graph: &Graph, index: NodeIndex) -> Result<(), JournalError> {
        let (Some(journal), Some(owing)) = (&self.journal, self.owing.get(&index)) else { return Ok(()) };
        let mut slot = owing.0.lock().await;
        if self.known(&mut slot, graph, index).await?.is_some() {
            journal.clear(&*self.system, &graph.node(index).id).await?;
            *slot = Slot::Known(None);
        }
        Ok(())
    }

    async fn known<'s>(
        &self,
        slot: &'s mut Slot,
        graph: &Graph,
        index: NodeIndex,
    ) -> Result<Option<&'s Record>, JournalError> {
        if let (Slot::Unread, Some(journal)) = (&*slot, &self.journal) {
            *slot = Slot::Known(journal.read(&*self.system, &graph.node(index).id).await?);
        }
        Ok(match slot {
            Slot::Known(record) => record.as_ref(),
            Slot::Unread => None,
        })
    }
}

/// It could not be written down that a node will have to be refreshed.
#[derive(Debug, thiserror::Error)]
#[error(
    "nothing was changed, because the refresh of `{node}` that follows could not be written down: {error}"
)]
pub(super) struct Unannounced {
    node: String,
    error: JournalError,
}

/// What was changed in this run, or in a plan will be, of what a node names.
fn causes(shared: &Shared, index: NodeIndex) -> Option<Due> {
    let graph = &shared.graph;
    let touched = graph
        .dependencies(index)
        .iter()
        .filter(|edge| edge.reason == EdgeReason::OnChange && shared.has(edge.on, TOUCHED));
    let touched: Vec<NodeIndex> = touched.map(|edge| edge.on).collect();
    if touched.is_empty() {
        return None;
    }
    let certain = touched.iter().any(|on| shared.has(*on, CERTAIN));
    // What is certain is enough of a reason.
    let causes = touched.iter().filter(|on| !certain || shared.has(**on, CERTAIN));
    let mut names: Vec<&str> = causes.map(|on| graph.node(*on).id.short()).collect();
    if names.len() > NAMED {
        names.truncate(NAMED);
        names.push("..");
    }
    let verb = match (shared.mode(), certain) {
        (Mode::Apply, _) => "changed",
        (Mode::Plan, true) => "will change",
        (Mode::Plan, false) => "may change",
    };
    Some(Due {
        reason: format!("because {} {verb}", names.join(", ")),
        certain: if certain { Certain::Yes } else { Certain::No },
    })
}

/// The ends around each node that is in one of these nodes, however deep.
fn around(graph: &Graph, ends: impl Iterator<Item = NodeIndex>) -> HashMap<NodeIndex, Vec<NodeIndex>> {
    let mut around: HashMap<_, Vec<_>> = HashMap::new();
    let mut open: Vec<NodeIndex> = ends.collect();
    let mut seen: std::collections::HashSet<NodeIndex> = open.iter().copied().collect();
    while let Some(end) = open.pop() {
        for part in graph.parts(end) {
            around.entry(part).or_default().push(end);
            if seen.insert(part) {
                open.push(part);
            }
        }
    }
    around
}
