//! Nodes that must change the same thing one after the other.
//!
//! These are nodes whose type has a lock and whose claims allow others to change the thing too. A node with
//! its own group holds the group's lock throughout, and takes no turns.

use indexmap::IndexMap;

use super::node_footprints::Footprints;
use crate::graph::{Graph, Node, NodeIndex, TurnList};
use crate::types::footprint::{Claim, Thing, aspect};
use crate::types::schema::Verb;

/// Returns the nodes that change the same thing under the same lock, in any order.
pub(super) fn turn_lists<'a>(graph: &Graph, footprints: &'a Footprints) -> Vec<TurnList> {
    let mut lists: IndexMap<(&'static str, &Thing), Vec<NodeIndex>> = IndexMap::new();
    let mut add = |node: NodeIndex, claim: &'a Claim| {
        if changes_with_others(claim.verb, claim.aspect)
            && let Some(lock) = lock(graph.node(node))
        {
            lists.entry((lock, &claim.thing)).or_default().push(node);
        }
    };
    for footprint in footprints.nodes() {
        footprint.footprint.claims.iter().for_each(|claim| add(footprint.node, claim));
    }
    for (node, footprint) in footprints.assumed() {
        footprint.claims.iter().for_each(|claim| add(*node, claim));
    }
    lists.retain(|_, nodes| nodes.len() > 1);
    lists.into_iter().map(|((lock, _), nodes)| TurnList { lock, nodes }).collect()
}

fn changes_with_others(verb: Verb, target_aspect: Option<&'static str>) -> bool {
    match verb {
        Verb::Ensures => target_aspect == Some(aspect::CONTENT),
        verb => verb == Verb::Touches,
    }
}

/// Returns whether a node takes turns with others that change the same thing.
#[doc(hidden)]
pub fn takes_turns(node: &Node) -> bool {
    lock(node).is_some()
}

/// Returns the lock that a node holds during its turn.
fn lock(node: &Node) -> Option<&'static str> {
    node.resource.lock().filter(|_| !node.resource.batches() && node.group.is_none())
}
