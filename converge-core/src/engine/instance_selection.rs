//! Which instances of a `for_each` that only a run knows the run works on, and on which nodes of each.

use std::collections::HashMap;

use crate::graph::{Graph, Node, NodeId, NodeIndex, On, Pattern};
use crate::types::id::PATTERN_KEY;

/// What becomes of a node that a run adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selected {
    Taken,
    /// It is none of those that the run is to work on, and is taken when one of these needs it.
    NotChosen,
    /// The run was told to pass over it, or over what it reads.
    Skipped,
}

/// What a run was told of the instances of one end.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// The instances, and nodes in instances, that it works on; `None` for all. Where the key of one is [`PATTERN_KEY`], that of each
    /// instance is meant.
    pub(super) only: Option<Vec<NodeId>>,
    /// The ones that it passes over.
    pub(super) skipped: Vec<NodeId>,
}

/// What an id means in a pattern.
enum Meant {
    /// A node, by its place.
    Node(usize),
    /// Something in the instances of an end, which has this place.
    InEnd(usize),
}

impl Chosen {
    /// An instance that it was told to work on, and that is none of these.
    pub(super) fn missing(&self, instances: &[&NodeId]) -> Option<NodeId> {
        let parts = |id: &NodeId| id.parts().count();
        let missing = |id: &&NodeId| !instances.iter().any(|instance| below(instance, id).is_some());
        let id = self.only.iter().flatten().filter(|id| !has_all(id)).find(missing)?;
        let depth = instances.first().map_or_else(|| parts(id), |first| parts(first));
        std::iter::successors(Some(id.clone()), NodeId::parent).find(|id| parts(id) <= depth)
    }

    /// What becomes of each node of an instance, by its place in the pattern.
    pub(super) fn of_instance(&self, pattern: &Pattern<Node>, instance: &NodeId) -> Vec<Selected> {
        let mut taken = vec![true; pattern.len()];
        if let Some(only) = &self.only {
            let needed = needed(pattern, instance, only);
            taken = needed.whole;
            // These are looked at for some of their instances.
            needed.ends.into_iter().for_each(|end| taken[end] = true);
        }
        let selected = |taken| if taken { Selected::Taken } else { Selected::NotChosen };
        let mut selected: Vec<Selected> = taken.into_iter().map(selected).collect();
        for place in self.left_out(pattern, instance) {
            selected[place] = Selected::Skipped;
        }
        selected
    }

    /// What is said of the instances of an end that is itself a node of an instance.
    fn of_end(&self, pattern: &Pattern<Node>, instance: &NodeId, end: usize) -> Self {
        let in_end = |ids: &[NodeId]| -> Vec<NodeId> {
            let is_in = |id: &&NodeId| matches!(meant(pattern, instance, id), Some(Meant::InEnd(place)) if place == end);
            ids.iter().filter(is_in).cloned().collect()
        };
        let only = self.only.as_ref().filter(|only| !needed(pattern, instance, only).whole[end]);
        let only = only.map(|only| in_end(only));
        Self { only, skipped: in_end(&self.skipped) }
    }

    /// The nodes that are passed over: those that are named, what is in them, and what cannot be known without a value of theirs.
    fn left_out(&self, pattern: &Pattern<Node>, instance: &NodeId) -> Vec<usize> {
        let named = self.skipped.iter().filter_map(|id| match meant(pattern, instance, id)? {
            Meant::Node(place) => Some(place),
            Meant::InEnd(_) => None,
        });
        let mut open: Vec<usize> = named.collect();
        if open.is_empty() {
            return open;
        }
        let mut readers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (from, node) in pattern.nodes().iter().enumerate() {
            let reads = !node.role.is_end() || node.deferred().is_some();
            for edge in pattern.waits(from).iter().filter(|edge| reads && edge.reason.needs_value()) {
                if let On::Within(on) = edge.on {
                    readers.entry(on).or_default().push(from);
                }
            }
        }
        let mut seen = vec![false; pattern.len()];
        let mut found = Vec::new();
        while let Some(place) = open.pop() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            let node = &pattern.nodes()[place];
            if node.role.is_end() && node.deferred().is_none() {
                let parts = pattern.waits(place).iter().filter(|edge| edge.reason.is_part());
                let parts = parts.filter_map(|edge| match edge.on {
                    On::Within(on) => Some(on),
                    On::Around(_) => None,
                });
                open.extend(parts.filter(|part| pattern.nodes()[*part].role.is_left_out_with_all()));
            } else {
                found.push(place);
                open.extend(readers.remove(&place).unwrap_or_default());
            }
        }
        found
    }
}

/// What was chosen of the instances of an end that a run added, of what was chosen of those of the end around it.
pub(super) fn chosen_in(graph: &Graph, end: NodeIndex, around: (NodeIndex, &Chosen)) -> Chosen {
    let (outer, chosen) = around;
    let Some(deferred) = graph.node(outer).deferred() else { return Chosen::default() };
    let (pattern, id) = (&deferred.pattern, &graph.node(end).id);
    let depth = pattern.id().parts().count();
    let instance =
        std::iter::successors(Some(id.clone()), NodeId::parent).find(|id| id.parts().count() <= depth);
    let Some(instance) = instance else { return Chosen::default() };
    let place = below(&instance, id).and_then(|rest| pattern.find(&[pattern.id().as_str(), &rest].concat()));
    place.map_or_else(Chosen::default, |place| chosen.of_end(pattern, &instance, place))
}

/// The places of what a node of a pattern waits for in it.
fn within(pattern: &Pattern<Node>, place: usize) -> impl Iterator<Item = usize> {
    pattern.waits(place).iter().filter_map(|edge| match edge.on {
        On::Within(on) => Some(on),
        On::Around(_) => None,
    })
}

/// What of an instance a run of a part needs.
struct NeededOf {
    /// Whether all of a node is needed, by its place.
    whole: Vec<bool>,
    /// The ends of which instances are named.
    ends: Vec<usize>,
}

/// What these ids mean in an instance, with all that it waits for there.
fn needed(pattern: &Pattern<Node>, instance: &NodeId, ids: &[NodeId]) -> NeededOf {
    let (mut whole, mut ends, mut open) = (vec![false; pattern.len()], Vec::new(), Vec::new());
    for id in ids {
        match meant(pattern, instance, id) {
            Some(Meant::Node(place)) => open.push(place),
            Some(Meant::InEnd(place)) => {
                ends.push(place);
                open.extend(within(pattern, place));
            }
            None => {}
        }
    }
    while let Some(place) = open.pop() {
        if !std::mem::replace(&mut whole[place], true) {
            open.extend(within(pattern, place));
        }
    }
    NeededOf { whole, ends }
}

/// Whether a key of an id stands for those of all instances.
fn has_all(id: &NodeId) -> bool {
    id.as_str().contains(PATTERN_KEY)
}

/// What an id means in an instance; `None` when it is not in there.
fn meant(pattern: &Pattern<Node>, instance: &NodeId, id: &NodeId) -> Option<Meant> {
    let rest = below(instance, id)?;
    let known = [pattern.id().as_str(), &rest].concat();
    if let Some(place) = pattern.find(&known) {
        return Some(Meant::Node(place));
    }
    let ends = known.char_indices().filter(|(_, character)| *character == '[').map(|(at, _)| at);
    ends.filter_map(|at| pattern.find(known.get(..at)?)).next_back().map(Meant::InEnd)
}

/// What follows in an id behind that of an instance, with the `/`; `None` when it is neither the instance nor in it.
fn below(instance: &NodeId, id: &NodeId) -> Option<String> {
    let mut parts = id.parts();
    for own in instance.parts() {
        let part = parts.next()?;
        if part != own {
            // It stands for the keys of all instances.
            let name = part.strip_suffix(PATTERN_KEY)?;
            own.strip_prefix(name).filter(|key| key.starts_with("[\""))?;
        }
    }
    Some(parts.flat_map(|part| ["/", part]).collect())
}
