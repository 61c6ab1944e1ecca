//! Selection of deferred `for_each` instances and of their nodes.

use std::collections::HashMap;

use crate::graph::{Graph, Node, NodeId, NodeIndex, Pattern, PatternDependency};
use crate::types::id::PATTERN_KEY;

/// The selection of a node that a run adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    Taken,
    /// The node is not selected, and is taken only if a selected one needs it.
    NotChosen,
    /// The run was told to leave out the node, or a node whose value it reads.
    Skipped,
}

/// The selection of instances of one end node.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstanceSelection {
    /// The selected instances and nodes in instances, or `None` for all.
    ///
    /// An id with the key [`PATTERN_KEY`] stands for all instances.
    pub(super) only: Option<Vec<NodeId>>,
    /// The ids to leave out.
    pub(super) skipped: Vec<NodeId>,
}

/// The target of an id in a pattern.
enum PatternTarget {
    /// A node, by position.
    Node(usize),
    /// Something in the instances of a nested end node, by the position of that node.
    InEnd(usize),
}

impl InstanceSelection {
    /// Returns a selected instance that does not exist.
    pub(crate) fn missing(&self, instances: &[&NodeId]) -> Option<NodeId> {
        let parts = |id: &NodeId| id.parts().count();
        let missing = |id: &&NodeId| !instances.iter().any(|instance| below(instance, id).is_some());
        let id = self.only.iter().flatten().filter(|id| !has_all(id)).find(missing)?;
        let depth = instances.first().map_or_else(|| parts(id), |first| parts(first));
        std::iter::successors(Some(id.clone()), NodeId::parent).find(|id| parts(id) <= depth)
    }

    /// Returns the selection of each node of an instance, by its position in the pattern.
    pub(crate) fn select_nodes(&self, pattern: &Pattern<Node>, instance: &NodeId) -> Vec<Selected> {
        let mut is_taken = vec![true; pattern.len()];
        if let Some(targets) = &self.only {
            let needed = needed(pattern, instance, targets);
            is_taken = needed.whole;
            // These end nodes are worked on for some of their instances.
            needed.ends.into_iter().for_each(|end| is_taken[end] = true);
        }
        let selected = |is_taken| if is_taken { Selected::Taken } else { Selected::NotChosen };
        let mut selected: Vec<Selected> = is_taken.into_iter().map(selected).collect();
        for place in self.left_out(pattern, instance) {
            selected[place] = Selected::Skipped;
        }
        selected
    }

    /// Returns the selection of instances of a nested end node.
    fn for_nested_end(&self, pattern: &Pattern<Node>, instance: &NodeId, end: usize) -> Self {
        let in_end = |ids: &[NodeId]| -> Vec<NodeId> {
            let is_in = |id: &&NodeId| matches!(find_in_pattern(pattern, instance, id), Some(PatternTarget::InEnd(place)) if place == end);
            ids.iter().filter(is_in).cloned().collect()
        };
        let targets = self.only.as_ref().filter(|only| !needed(pattern, instance, only).whole[end]);
        let targets = targets.map(|only| in_end(only));
        Self { only: targets, skipped: in_end(&self.skipped) }
    }

    /// Returns the positions to leave out: named nodes, their contents, and readers of their values.
    fn left_out(&self, pattern: &Pattern<Node>, instance: &NodeId) -> Vec<usize> {
        let skipped_places =
            self.skipped.iter().filter_map(|id| match find_in_pattern(pattern, instance, id)? {
                PatternTarget::Node(place) => Some(place),
                PatternTarget::InEnd(_) => None,
            });
        let mut open: Vec<usize> = skipped_places.collect();
        if open.is_empty() {
            return open;
        }
        let mut readers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (from, node) in pattern.nodes().iter().enumerate() {
            let reads = !node.role.is_end() || node.deferred().is_some();
            for edge in pattern.waits(from).iter().filter(|edge| reads && edge.reason.needs_value()) {
                if let PatternDependency::Within(on) = edge.on {
                    readers.entry(on).or_default().push(from);
                }
            }
        }
        let mut visited = vec![false; pattern.len()];
        let mut places = Vec::new();
        while let Some(place) = open.pop() {
            if std::mem::replace(&mut visited[place], true) {
                continue;
            }
            let node = &pattern.nodes()[place];
            if node.role.is_end() && node.deferred().is_none() {
                let parts = pattern.waits(place).iter().filter(|edge| edge.reason.is_part());
                let parts = parts.filter_map(|edge| match edge.on {
                    PatternDependency::Within(on) => Some(on),
                    PatternDependency::Around(_) => None,
                });
                open.extend(parts.filter(|part| pattern.nodes()[*part].role.is_left_out_with_all()));
            } else {
                places.push(place);
                open.extend(readers.remove(&place).unwrap_or_default());
            }
        }
        places
    }
}

/// Returns the selection for an end node that the run added, from that of the end node around it.
pub(super) fn chosen_in(
    graph: &Graph,
    end: NodeIndex,
    parent: (NodeIndex, &InstanceSelection),
) -> InstanceSelection {
    let (outer, chosen) = parent;
    let Some(deferred) = graph.node(outer).deferred() else { return InstanceSelection::default() };
    let (pattern, id) = (&deferred.pattern, &graph.node(end).id);
    let depth = pattern.id().parts().count();
    let instance =
        std::iter::successors(Some(id.clone()), NodeId::parent).find(|id| id.parts().count() <= depth);
    let Some(instance) = instance else { return InstanceSelection::default() };
    let place = below(&instance, id).and_then(|rest| pattern.find(&[pattern.id().as_str(), &rest].concat()));
    place.map_or_else(InstanceSelection::default, |place| chosen.for_nested_end(pattern, &instance, place))
}

/// Returns the positions of the dependencies of a node within its pattern.
fn within(pattern: &Pattern<Node>, place: usize) -> impl Iterator<Item = usize> {
    pattern.waits(place).iter().filter_map(|edge| match edge.on {
        PatternDependency::Within(on) => Some(on),
        PatternDependency::Around(_) => None,
    })
}

/// The nodes of an instance that a partial run needs.
struct NeededNodes {
    /// Whether each node is needed as a whole, by position.
    whole: Vec<bool>,
    /// The nested end nodes some of whose instances are selected.
    ends: Vec<usize>,
}

/// Returns the nodes of an instance that these ids select, with their dependencies in it.
fn needed(pattern: &Pattern<Node>, instance: &NodeId, ids: &[NodeId]) -> NeededNodes {
    let (mut is_whole, mut end_places, mut open) = (vec![false; pattern.len()], Vec::new(), Vec::new());
    for id in ids {
        match find_in_pattern(pattern, instance, id) {
            Some(PatternTarget::Node(place)) => open.push(place),
            Some(PatternTarget::InEnd(place)) => {
                end_places.push(place);
                open.extend(within(pattern, place));
            }
            None => {}
        }
    }
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut is_whole[place], true) {
            open.extend(within(pattern, place));
        }
    }
    NeededNodes { whole: is_whole, ends: end_places }
}

/// Whether an id contains a key that stands for all instances.
fn has_all(id: &NodeId) -> bool {
    id.as_str().contains(PATTERN_KEY)
}

/// Returns the target of an id in an instance, or `None` if the id is outside of it.
fn find_in_pattern(pattern: &Pattern<Node>, instance: &NodeId, id: &NodeId) -> Option<PatternTarget> {
    let rest = below(instance, id)?;
    let pattern_id = [pattern.id().as_str(), &rest].concat();
    if let Some(place) = pattern.find(&pattern_id) {
        return Some(PatternTarget::Node(place));
    }
    let brackets = pattern_id.char_indices().filter(|(_, character)| *character == '[').map(|(at, _)| at);
    brackets
        .filter_map(|offset| pattern.find(pattern_id.get(..offset)?))
        .next_back()
        .map(PatternTarget::InEnd)
}

/// Returns the rest of an id after that of an instance, with the `/`, or `None` if it is outside of it.
fn below(instance: &NodeId, id: &NodeId) -> Option<String> {
    let mut parts = id.parts();
    for instance_part in instance.parts() {
        let part = parts.next()?;
        if part != instance_part {
            // The pattern key stands for the keys of all instances.
            let name = part.strip_suffix(PATTERN_KEY)?;
            instance_part.strip_prefix(name).filter(|key| key.starts_with("[\""))?;
        }
    }
    Some(parts.flat_map(|part| ["/", part]).collect())
}
