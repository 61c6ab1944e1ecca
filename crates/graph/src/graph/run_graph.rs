//! The graph of a run with deferred `for_each`: the loaded graph and the instances that the run adds.
//!
//! The loaded graph is not modified, because other runs may use it at the same time. Instances get the next
//! free indexes and never move, so existing indexes stay valid. Only the coordinator adds nodes, and it does
//! so before other parts of the run refer to them.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::additions::{Added, Extended, Instances, Links};
use super::dependency_graph::{Graph, in_cases};
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::node::Node;
use super::resolve::Targets;
use crate::types::hash::NameMap;
use crate::types::id::{PATTERN_KEY, outside_keys};
use crate::types::node_table::Rows;

impl Extended<Graph> {
    pub(super) fn base(&self) -> &Graph {
        &self.base
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Acquire)
    }

    fn added(&self, index: NodeIndex) -> Option<&Added> {
        self.added.get(index.as_usize().checked_sub(self.base.len())?)?.get()
    }

    fn instances(&self, end: NodeIndex) -> Option<&Instances> {
        match self.added(end) {
            Some(added) => added.instances.get(),
            None => self.ends.get(&end)?.get(),
        }
    }

    pub(super) fn node(&self, index: NodeIndex) -> Option<&Node> {
        if index.as_usize() < self.base.len() {
            return Some(self.base.node(index));
        }
        self.added(index).map(|added| &added.node)
    }

    pub(super) fn find(&self, id: &str) -> Option<NodeIndex> {
        self.base.find(id).or_else(|| {
            let index = self.place(self.instances_around(id)?, id);
            (self.id(index) == id).then(|| NodeIndex::new(index))
        })
    }

    /// Returns the instances among which a node with this id is, if there are any.
    fn instances_around(&self, id: &str) -> Option<&Instances> {
        ends_around(id).find_map(|end| self.instances(self.find(end)?))
    }

    fn id(&self, index: usize) -> &str {
        self.node(NodeIndex::new(index)).map_or("", |node| node.id.as_str())
    }

    /// Returns the first instance whose id is not less than this one.
    fn place(&self, instances: &Instances, id: &str) -> usize {
        let Range { start: mut low, end: mut high } = instances.nodes.clone();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id(middle) < id { low = middle + 1 } else { high = middle }
        }
        low
    }

    /// Returns the added nodes whose ids begin with `prefix`, the prefix of an added module.
    pub(super) fn added_with_prefix<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (NodeIndex, &'a Node)> + 'a {
        let instances = self.instances_around(prefix);
        let places = instances.map_or(0..0, |instances| self.place(instances, prefix)..instances.nodes.end);
        let nodes =
            places.filter_map(|index| Some((NodeIndex::new(index), self.node(NodeIndex::new(index))?)));
        nodes.take_while(move |(_, node)| node.id.as_str().starts_with(prefix))
    }

    /// Like [`Graph::targets`], for nodes in cases of switches.
    pub(super) fn in_cases(&self, id: &str) -> Option<Targets<'_>> {
        let added = || self.instances_around(id)?.in_cases.get(id);
        self.base.in_cases.get(id).or_else(added).map(|nodes| Targets::Cases(nodes))
    }

    pub(super) fn dependencies(&self, index: NodeIndex) -> &[Edge] {
        if let Some(instances) = self.instances(index) {
            return &instances.edges;
        }
        if index.as_usize() < self.base.len() {
            return self.base.dependencies(index);
        }
        self.added(index).and_then(|added| added.links.get()).map_or(&[], |links| &links.dependencies)
    }

    pub(super) fn dependents(&self, index: NodeIndex) -> &[NodeIndex] {
        if index.as_usize() < self.base.len() {
            return self.base.dependents(index);
        }
        self.added(index).and_then(|added| added.links.get()).map_or(&[], |links| &links.dependents)
    }

    /// Like [`Graph::depends_on`].
    ///
    /// A dependency of an instance that follows from a thing counts for the instance itself, and not for
    /// dependents of its end node.
    pub(super) fn depends_on(&self, index: NodeIndex, dependency: NodeIndex) -> (bool, usize) {
        // The loaded graph records dependents of an instance only as dependents of the end node.
        let end_nodes: Vec<NodeIndex> = self.ends_of(dependency).collect();
        let goal = end_nodes.last().copied().unwrap_or(dependency);
        let (mut visited, mut steps, mut open) = (HashSet::new(), 0, vec![index]);
        while let Some(current) = open.pop() {
            steps += 1;
            if current != index && (current == dependency || end_nodes.contains(&current)) {
                return (true, steps);
            }
            if current.as_usize() < self.base.len() {
                let (depends, walked) = self.base.depends_on(current, goal);
                steps += walked;
                if depends {
                    return (true, steps);
                }
                continue;
            }
            let next = self.dependencies(current).iter().map(|edge| edge.on);
            open.extend(next.filter(|next| visited.insert(*next)));
        }
        (false, steps)
    }

    /// Returns the end nodes around an added node, from the inside out.
    fn ends_of(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        std::iter::successors(self.added(index), |added| self.added(added.end)).map(|added| added.end)
    }
}

/// Returns the possible ids of the end nodes around a node with this id, from the inside out.
fn ends_around(id: &str) -> impl Iterator<Item = &str> {
    let keys = outside_keys(id).filter(|(_, byte)| *byte == b'[').map(|(at, _)| at);
    let keys: Vec<usize> = if id.contains('[') { keys.collect() } else { Vec::new() };
    keys.into_iter().rev().filter_map(|offset| id.get(..offset))
}

impl Graph {
    /// Whether the graph contains a `for_each` whose instances only a run knows.
    pub(crate) fn has_deferred(&self) -> bool {
        self.nodes().any(|(_, node)| node.deferred().is_some())
    }

    /// Returns all declared nodes: those of the graph and those of patterns.
    #[doc(hidden)]
    pub fn declared(&self) -> impl Iterator<Item = &Node> {
        let mut open: Vec<&[Node]> = Vec::new();
        let mut nodes = self.nodes().map(|(_, node)| node);
        std::iter::from_fn(move || {
            let node = loop {
                match open.last_mut() {
                    None => break nodes.next()?,
                    Some(rest) => match rest.split_first() {
                        Some((node, after)) => {
                            *rest = after;
                            break node;
                        }
                        None => drop(open.pop()),
                    },
                }
            };
            open.extend(node.deferred().map(|deferred| deferred.pattern.nodes()));
            Some(node)
        })
    }

    /// Returns the graph for one run, to which instances can be added.
    ///
    /// It is this graph if there is nothing to add.
    #[doc(hidden)]
    pub fn for_run(self: &Arc<Self>) -> Arc<Self> {
        let deferred = self.nodes().filter(|(_, node)| node.deferred().is_some());
        let end_nodes: NameMap<_, _> = deferred.map(|(index, _)| (index, OnceLock::new())).collect();
        if end_nodes.is_empty() {
            return Arc::clone(self);
        }
        let len = AtomicUsize::new(self.len());
        let grown =
            Extended { base: Arc::clone(self), added: Rows::new(0, OnceLock::new), len, ends: end_nodes };
        let mut graph = Self::unconnected(Vec::new(), Arc::clone(self.sources()));
        graph.functions = self.functions.clone();
        graph.grown = Some(Box::new(grown));
        Arc::new(graph)
    }

    /// Whether the instances of a deferred `for_each` have been added.
    #[doc(hidden)]
    pub fn is_expanded(&self, end: NodeIndex) -> bool {
        self.grown.as_ref().is_some_and(|grown| grown.instances(end).is_some())
    }

    /// Returns the end nodes around a node that the run added, from the inside out.
    #[doc(hidden)]
    pub fn ends_of_added(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        self.grown.iter().flat_map(move |grown| grown.ends_of(index))
    }

    /// Returns the end node of a deferred `for_each` whose instances may contain this id.
    #[doc(hidden)]
    pub fn deferred_of(&self, id: &str) -> Option<NodeIndex> {
        self.declared_in(id).map(|(end, _)| end)
    }

    /// Returns the declaration of a node that a run may add under this id.
    ///
    /// The result is the end node in this graph that stands for the node, and the pattern node that it is
    /// created from. The id of the pattern node has no keys. Returns `None` for a node of the graph, and for
    /// an id that no instance can have.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::load::Loader;
    ///
    /// let text = "output \"none\" { value = 1 }";
    /// let graph = Loader::new(&Registry::new()).load_text("site.hcl", text).into_graph()?;
    /// assert!(graph.declared_in("root/task.each[\"a\"]").is_none());
    /// # Ok::<(), converge_core::load::LoadError>(())
    /// ```
    pub fn declared_in(&self, id: &str) -> Option<(NodeIndex, &Node)> {
        let candidates = ends_around(id).filter_map(|end| self.find(end));
        let end_node = { candidates }.find(|end| self.node(*end).deferred().is_some())?;
        let mut pattern = &self.node(end_node).deferred()?.pattern;
        let mut rest = id.get(self.node(end_node).id.as_str().len()..)?;
        // The contents of an instance have a place in the pattern, or in a nested pattern.
        loop {
            let key = if rest.starts_with(PATTERN_KEY) {
                PATTERN_KEY.len()
            } else {
                outside_keys(rest).find(|(_, byte)| *byte == b']').map(|(at, _)| at + 1)?
            };
            let inner = rest.get(key..)?;
            let pattern_id = [pattern.id().as_str(), inner].concat();
            if let Some(place) = pattern.find(&pattern_id) {
                return Some((end_node, pattern.nodes().get(place)?));
            }
            let end = ends_around(&pattern_id).find_map(|end| pattern.find(end))?;
            let end = pattern.nodes().get(end)?;
            rest = inner.get(end.id.as_str().len() - pattern.id().as_str().len()..)?;
            pattern = &end.deferred()?.pattern;
        }
    }

    /// Adds the nodes for the instances of an end node, sorted by id.
    ///
    /// Every `len`th node stands for a whole instance. The edges are added [afterwards](Self::link_added).
    #[doc(hidden)]
    pub fn add_instances(&self, end: NodeIndex, nodes: Vec<Node>, len: usize) -> Range<usize> {
        let Some(grown) = &self.grown else { return 0..0 };
        let (first, count) = (grown.len(), nodes.len());
        grown.added.grow(first - grown.base.len() + count, OnceLock::new);
        let in_cases = in_cases(&nodes, first);
        for (index, node) in (first..).zip(nodes) {
            if let Some(slot) = grown.added.get(index - grown.base.len()) {
                let (links, instances) = (OnceLock::new(), OnceLock::new());
                let _ = slot.set(Added { node, end, links, instances });
            }
        }
        let nodes = first..first + count;
        let part_edge = |index| Edge { on: NodeIndex::new(index), reason: EdgeReason::ForEach, span: None };
        let parts = nodes.clone().step_by(len.max(1)).map(part_edge);
        let edges = self.dependencies(end).iter().copied().chain(parts).collect();
        let instances = Instances { nodes: nodes.clone(), edges, in_cases };
        let slot = match grown.added(end) {
            Some(added) => Some(&added.instances),
            None => grown.ends.get(&end),
        };
        if let Some(slot) = slot {
            let _ = slot.set(instances);
        }
        grown.len.store(first + count, Ordering::Release);
        nodes
    }

    /// Sets the dependencies and dependents of an added node.
    #[doc(hidden)]
    pub fn link_added(&self, index: NodeIndex, links: Links) {
        if let Some(added) = self.grown.as_ref().and_then(|grown| grown.added(index)) {
            let _ = added.links.set(links);
        }
    }
}
