//! Which nodes change the same thing one after the other: those whose types have a lock, of what they say that others may change, too.
//!
//! A node with a group of its own holds that until it is over, so it keeps nobody waiting for its turn.

use indexmap::IndexMap;

use super::node_footprints::Footprints;
use crate::graph::{Graph, Node, NodeIndex, TurnList};
use crate::types::footprint::{Thing, aspect};
use crate::types::schema::Verb;

/// The nodes of each thing that several of one lock change, in any order.
pub(super) fn lists(graph: &Graph, footprints: &Footprints) -> Vec<TurnList> {
    let mut lists: IndexMap<(&'static str, &Thing), Vec<NodeIndex>> = IndexMap::new();
    let mut add = |node: NodeIndex, verb: Verb, aspect: Option<&'static str>, thing| {
        if changes_with_others(verb, aspect)
            && let Some(lock) = lock(graph.node(node))
        {
            lists.entry((lock, thing)).or_default().push(node);
        }
    };
    for one in footprints.nodes() {
        footprints.claims(one).for_each(|claim| add(one.node, claim.verb, claim.aspect, claim.thing));
    }
    for (node, footprint) in footprints.assumed() {
        footprint.claims.iter().for_each(|claim| add(*node, claim.verb, claim.aspect, &claim.thing));
    }
    lists.retain(|_, nodes| nodes.len() > 1);
    lists.into_iter().map(|((lock, _), nodes)| TurnList { lock, nodes }).collect()
}

fn changes_with_others(verb: Verb, of: Option<&'static str>) -> bool {
    match verb {
        Verb::Ensures => of == Some(aspect::CONTENT),
        verb => verb == Verb::Touches,
    }
}

/// Whether a node changes things in its turn.
pub(crate) fn takes_turns(node: &Node) -> bool {
    lock(node).is_some()
}

/// The lock that a node takes for its turn.
fn lock(node: &Node) -> Option<&'static str> {
    node.resource.lock().filter(|_| !node.resource.batches() && node.group.is_none())
}
