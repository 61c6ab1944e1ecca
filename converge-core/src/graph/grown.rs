//! The graph of a run in which a `for_each` is known only when what it looks up is there: the graph that was loaded, and the
//! instances that the run adds to it.
//!
//! What was loaded stays as it is, as others may run it at the same time. Instances get the next free numbers and never move, so
//! whoever works on a node need not know that there are more by now. Only the coordinator adds, and it does so before anybody
//! hears of what was added.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::additions::{Added, Grown, Instances, Links};
use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::node::Node;
use crate::types::hash::NameMap;
use crate::types::id::outside_keys;
use crate::types::rows::Rows;

impl Grown<Graph> {
    pub(super) fn base(&self) -> &Graph {
        &self.base
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    fn added(&self, index: NodeIndex) -> Option<&Added> {
        self.added.get(index.as_usize().checked_sub(self.base.len())?)?.get()
    }

    fn links(&self, index: NodeIndex) -> Option<&Links> {
        self.added(index)?.links.get()
    }

    fn instances(&self, end: NodeIndex) -> Option<&Instances> {
        self.ends.get(&end)?.get()
    }

    pub(super) fn node(&self, index: NodeIndex) -> Option<&Node> {
        if index.as_usize() < self.base.len() {
            return Some(self.base.node(index));
        }
        self.added(index).map(|added| &added.node)
    }

    pub(super) fn find(&self, id: &str) -> Option<NodeIndex> {
        self.base.find(id).or_else(|| {
            let end = self.base.find(end_of(id)?)?;
            let Range { start, end } = self.instances(end)?.nodes.clone();
            let id_at = |at: usize| self.node(NodeIndex::new(at)).map_or("", |node| node.id.as_str());
            let (mut low, mut high) = (start, end);
            while low < high {
                let middle = low + (high - low) / 2;
                if id_at(middle) < id { low = middle + 1 } else { high = middle }
            }
            (low < end && id_at(low) == id).then(|| NodeIndex::new(low))
        })
    }

    pub(super) fn dependencies(&self, index: NodeIndex) -> &[Edge] {
        if index.as_usize() < self.base.len() {
            return match self.instances(index) {
                Some(instances) => &instances.edges,
                None => self.base.dependencies(index),
            };
        }
        let own = self.links(index).and_then(|links| links.dependencies.as_deref());
        own.unwrap_or_else(|| self.added(index).map_or(&[], |added| self.base.dependencies(added.end)))
    }

    pub(super) fn dependents(&self, index: NodeIndex) -> &[NodeIndex] {
        if index.as_usize() < self.base.len() {
            return self.base.dependents(index);
        }
        self.links(index).map_or(&[], |links| &links.dependents)
    }

    /// As [`Graph::depends_on`]. What an instance waits for because of a thing counts for the instances themselves, and not for what
    /// waits for their end.
    pub(super) fn depends_on(&self, index: NodeIndex, on: NodeIndex) -> (bool, usize) {
        // Of what waits for an instance, the load only knew that it waits for the end.
        let goal = self.added(on).map_or(on, |added| added.end);
        let (mut seen, mut steps, mut open) = (HashSet::new(), 0, vec![index]);
        while let Some(at) = open.pop() {
            steps += 1;
            if at != index && (at == on || at == goal) {
                return (true, steps);
            }
            if at.as_usize() < self.base.len() {
                let (depends, walked) = self.base.depends_on(at, goal);
                steps += walked;
                if depends {
                    return (true, steps);
                }
                continue;
            }
            let next = self.dependencies(at).iter().map(|edge| edge.on);
            open.extend(next.filter(|next| seen.insert(*next)));
        }
        (false, steps)
    }
}

/// The id of the end of an instance.
fn end_of(id: &str) -> Option<&str> {
    let key = id.strip_suffix("\"]")?;
    let (name, _) = outside_keys(key).filter(|(_, byte)| *byte == b'[').last()?;
    id.get(..name)
}

impl Graph {
    /// Whether there is a `for_each` whose instances only a run knows.
    pub(crate) fn has_deferred(&self) -> bool {
        self.nodes().any(|(_, node)| node.deferred().is_some())
    }

    /// The graph of one run, to which instances can be added; the same graph where there is nothing to add.
    pub(crate) fn for_run(self: &Arc<Self>) -> Arc<Self> {
        let deferred = self.nodes().filter(|(_, node)| node.deferred().is_some());
        let ends: NameMap<_, _> = deferred.map(|(index, _)| (index, OnceLock::new())).collect();
        if ends.is_empty() {
            return Arc::clone(self);
        }
        let len = AtomicUsize::new(self.len());
        let grown = Grown { base: Arc::clone(self), added: Rows::new(0, OnceLock::new), len, ends };
        let mut graph = Self::unconnected(Vec::new(), Arc::clone(self.sources()));
        graph.functions = self.functions.clone();
        graph.grown = Some(Box::new(grown));
        Arc::new(graph)
    }

    /// Whether the instances of a `for_each` that only a run knows are there by now.
    pub(crate) fn is_expanded(&self, end: NodeIndex) -> bool {
        self.grown.as_ref().is_some_and(|grown| grown.instances(end).is_some())
    }

    /// The end of an instance that the run added.
    pub(crate) fn end_of_added(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.grown.as_ref()?.added(index).map(|added| added.end)
    }

    /// The end whose instances only a run knows, of the id of one of them.
    pub(crate) fn deferred_of(&self, id: &str) -> Option<NodeIndex> {
        self.find(end_of(id)?).filter(|end| self.node(*end).deferred().is_some())
    }

    /// Adds the instances of an end, sorted by their ids. They wait for what the end waited for, and the end for them.
    pub(crate) fn add_instances(&self, end: NodeIndex, nodes: Vec<Node>) -> Range<usize> {
        let Some(grown) = &self.grown else { return 0..0 };
        let (first, count) = (grown.len(), nodes.len());
        grown.added.grow(first - grown.base.len() + count, OnceLock::new);
        for (at, node) in (first..).zip(nodes) {
            if let Some(slot) = grown.added.get(at - grown.base.len()) {
                let _ = slot.set(Added { node, end, links: OnceLock::new() });
            }
        }
        let nodes = first..first + count;
        let part = |at| Edge { on: NodeIndex::new(at), reason: EdgeReason::ForEach, span: None };
        let edges = grown.base.dependencies(end).iter().copied().chain(nodes.clone().map(part)).collect();
        if let Some(slot) = grown.ends.get(&end) {
            let _ = slot.set(Instances { nodes: nodes.clone(), edges });
        }
        grown.len.store(first + count, Ordering::Release);
        nodes
    }

    /// Says what an instance that was added waits for, and what waits for it, beside what follows from its end.
    pub(crate) fn link_instance(&self, index: NodeIndex, more: Vec<Edge>, dependents: Vec<NodeIndex>) {
        let Some(grown) = &self.grown else { return };
        let Some(added) = grown.added(index) else { return };
        let dependencies = (!more.is_empty()).then(|| {
            let mut all: Vec<Edge> = grown.base.dependencies(added.end).iter().copied().chain(more).collect();
            all.sort_by_key(|edge| (edge.on, edge.reason));
            all.into()
        });
        let dependents = std::iter::once(added.end).chain(dependents).collect();
        let _ = added.links.set(Links { dependencies, dependents });
    }
}
