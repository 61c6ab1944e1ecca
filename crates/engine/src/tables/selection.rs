//! Selection of the nodes that a partial run covers.
//!
//! Selected nodes are taken with all their dependencies. Nodes that are left out are not checked. Nodes that
//! only wait for them continue, as with a `when` that is false; nodes that read their values are left out
//! too.

use std::collections::HashMap;

use super::instance_selection::{InstanceSelection, chosen_in};
use crate::diagnostic::close_names;
use crate::events::error::EngineError;
use crate::graph::{Graph, Node, NodeId, NodeIndex, Tag};

/// The reason reported for nodes that a run was told to leave out.
pub(crate) const LEFT_OUT: &str = "it was left out of this run";

/// The selection of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selection {
    /// The targets; if there are no targets and no tags, the run covers everything.
    pub(crate) targets: Vec<NodeId>,
    pub(crate) skips: Vec<NodeId>,
    pub(crate) tags: Vec<Tag>,
    pub(crate) skip_tags: Vec<Tag>,
}

/// The nodes that a run works on.
#[derive(Debug, Default)]
pub(crate) struct Needed {
    /// Whether each node is covered, by index; `None` for all.
    nodes: Option<Box<[bool]>>,
    /// Whether each covered node is left out, by index; `None` if none are.
    left_out: Option<Box<[bool]>>,
    /// The selected instances of end nodes whose instances only a run knows, unless all are selected.
    chosen: HashMap<NodeIndex, InstanceSelection>,
}

impl Needed {
    /// Whether the run reaches a node.
    pub(crate) fn has(&self, index: NodeIndex) -> bool {
        // Nodes added by the run are always covered.
        let is_in = |nodes: &[bool]| nodes.get(index.as_usize()).copied().unwrap_or(true);
        self.nodes.as_deref().is_none_or(is_in)
    }

    /// Whether the run leaves out a node that it reaches.
    pub(super) fn leaves_out(&self, index: NodeIndex) -> bool {
        self.left_out.as_deref().is_some_and(|nodes| is_in(nodes, index))
    }

    /// Returns the selection of instances of this end node.
    pub(crate) fn chosen(&self, graph: &Graph, end: NodeIndex) -> InstanceSelection {
        if self.chosen.is_empty() {
            return InstanceSelection::default();
        }
        match graph.ends_of_added(end).next() {
            None => self.chosen.get(&end).cloned().unwrap_or_default(),
            Some(outer) => chosen_in(graph, end, (outer, &self.chosen(graph, outer))),
        }
    }
}

fn is_in(nodes: &[bool], index: NodeIndex) -> bool {
    nodes.get(index.as_usize()).copied().unwrap_or(false)
}

impl Selection {
    /// Adds another selection.
    pub(crate) fn add(&mut self, other: Self) {
        let Self { targets, skips, tags, skip_tags } = other;
        self.targets.extend(targets);
        self.skips.extend(skips);
        self.tags.extend(tags);
        self.skip_tags.extend(skip_tags);
    }

    /// Replaces tags by the ids of the nodes that have them in this graph.
    pub(crate) fn resolve_tags(mut self, graph: &Graph) -> Result<Self, EngineError> {
        for (tags, ids) in [(&mut self.tags, &mut self.targets), (&mut self.skip_tags, &mut self.skips)] {
            let tags = std::mem::take(tags);
            for tag in &tags {
                if !graph.declared().any(|node| is_tagged(node, std::slice::from_ref(tag))) {
                    return Err(unknown_tag(graph, tag));
                }
            }
            if !tags.is_empty() {
                let tagged = graph.declared().filter(|node| is_tagged(node, &tags));
                ids.extend(tagged.map(|node| node.id.clone()));
            }
        }
        Ok(self)
    }

    /// Returns the selected nodes, or all nodes if nothing is selected.
    pub(crate) fn needed(&self, graph: &Graph) -> Result<Needed, EngineError> {
        let (skipped, skips): (Vec<NodeId>, Vec<NodeId>) =
            self.skips.iter().cloned().partition(|id| deferred_of(graph, id).is_some());
        let (one_by_one, targets): (Vec<NodeId>, Vec<NodeId>) =
            self.targets.iter().cloned().partition(|id| deferred_of(graph, id).is_some());
        let left_out = if skips.is_empty() { None } else { Some(with_readers(graph, &skips)?) };
        let mut needed = Needed { left_out, ..Needed::default() };
        for id in skipped {
            if let Some(end) = deferred_of(graph, &id) {
                needed.chosen.entry(end).or_default().skipped.push(id);
            }
        }
        if self.targets.is_empty() {
            return Ok(needed);
        }
        let mut open: Vec<NodeIndex> = targets.iter().map(|id| find(graph, id)).collect::<Result<_, _>>()?;
        let end_nodes = one_by_one.into_iter().filter_map(|id| Some((deferred_of(graph, &id)?, id)));
        let end_nodes: Vec<(NodeIndex, NodeId)> = end_nodes.collect();
        for (end, _) in &end_nodes {
            open.extend(graph.dependencies(*end).iter().map(|edge| edge.on));
        }
        let mut nodes = with_dependencies(graph, open);
        let is_whole: Vec<bool> = end_nodes.iter().map(|(end, _)| is_in(&nodes, *end)).collect();
        for ((end, id), _) in end_nodes.into_iter().zip(is_whole).filter(|(_, all)| !all) {
            is_new(&mut nodes, end);
            needed.chosen.entry(end).or_default().only.get_or_insert_default().push(id);
        }
        needed.nodes = Some(nodes);
        Ok(needed)
    }
}

/// Returns the end node of an instance that only a run knows.
fn deferred_of(graph: &Graph, id: &NodeId) -> Option<NodeIndex> {
    graph.find(id.as_str()).is_none().then(|| graph.deferred_of(id.as_str())).flatten()
}

/// Whether a tag can select a node: a resource, or an end node with deferred instances.
fn is_tagged(node: &Node, tags: &[Tag]) -> bool {
    (node.role.is_resource() || node.deferred().is_some()) && node.tags().any(|tag| tags.contains(tag))
}

/// Returns these nodes with all direct and indirect dependencies.
fn with_dependencies(graph: &Graph, mut open: Vec<NodeIndex>) -> Box<[bool]> {
    let mut nodes = vec![false; graph.len()].into_boxed_slice();
    while let Some(index) = open.pop() {
        if is_new(&mut nodes, index) {
            open.extend(graph.dependencies(index).iter().map(|edge| edge.on));
        }
    }
    nodes
}

/// Returns these nodes with their contents and the readers of their values.
fn with_readers(graph: &Graph, skips: &[NodeId]) -> Result<Box<[bool]>, EngineError> {
    let mut open: Vec<NodeIndex> = skips.iter().map(|id| find(graph, id)).collect::<Result<_, _>>()?;
    let mut nodes = vec![false; graph.len()].into_boxed_slice();
    // An end node decides nothing and still runs after its contents, even if these are left out.
    let mut end_flags = vec![false; graph.len()].into_boxed_slice();
    while let Some(index) = open.pop() {
        if graph.node(index).role.is_end() && graph.node(index).deferred().is_none() {
            if is_new(&mut end_flags, index) {
                open.extend(graph.parts(index).filter(|part| graph.node(*part).role.is_left_out_with_all()));
            }
            continue;
        }
        if is_new(&mut nodes, index) {
            let reads = |dependent: &NodeIndex| {
                let mut edges = graph.dependencies(*dependent).iter();
                let node = graph.node(*dependent);
                (!node.role.is_end() || node.deferred().is_some())
                    && edges.any(|edge| edge.on == index && edge.reason.needs_value())
            };
            open.extend(graph.dependents(index).iter().copied().filter(reads));
        }
    }
    Ok(nodes)
}

fn is_new(nodes: &mut [bool], index: NodeIndex) -> bool {
    nodes.get_mut(index.as_usize()).is_some_and(|is_visited| !std::mem::replace(is_visited, true))
}

fn find(graph: &Graph, id: &NodeId) -> Result<NodeIndex, EngineError> {
    graph.find(id.as_str()).ok_or_else(|| unknown(graph, id))
}

fn unknown(graph: &Graph, target: &NodeId) -> EngineError {
    let redactor = graph.sources().redactor();
    let close = graph.close_ids(target.short()).into_iter();
    let close = close.map(|id| id.redacted(redactor).as_str().to_owned()).collect();
    EngineError::UnknownTarget { target: target.clone(), close }
}

fn unknown_tag(graph: &Graph, tag: &Tag) -> EngineError {
    let mut tags: Vec<&str> = graph.declared().flat_map(Node::tags).map(Tag::as_str).collect();
    tags.sort_unstable();
    tags.dedup();
    let close = close_names(tag.as_str(), tags);
    EngineError::UnknownTag { tag: tag.clone(), close }
}
