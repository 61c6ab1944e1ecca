//! Nodes that must change the same thing one after the other.
//!
//! These are nodes whose type has a lock and whose claims allow others to change the thing too, and nodes
//! without a lock that agree on the state of a thing. A node with its own group holds the group's lock
//! throughout, and takes no turns.

use indexmap::IndexMap;

use super::node_footprints::Footprints;
use crate::graph::{Graph, Node, NodeIndex, TurnList};
use crate::types::footprint::{Claim, Thing, aspect, kind};
use crate::types::schema::Verb;

/// Returns the nodes that change the same thing under the same lock, in any order.
pub(super) fn turn_lists<'a>(graph: &Graph, footprints: &'a Footprints) -> Vec<TurnList> {
    let mut lists: IndexMap<(&'static str, &Thing), Vec<NodeIndex>> = IndexMap::new();
    let mut add = |node: NodeIndex, claim: &'a Claim| {
        if let Some(lock) = lock(graph.node(node)).filter(|lock| changes_with_others(claim, lock)) {
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

fn changes_with_others(claim: &Claim, lock: &str) -> bool {
    match claim.verb {
        // Two resources that fill one tree may write one file.
        Verb::Ensures => claim.aspect == Some(if lock.is_empty() { aspect::TREE } else { aspect::CONTENT }),
        Verb::Touches => !lock.is_empty(),
        Verb::Manages => lock.is_empty() && !claim.thing.is_path(),
        Verb::Needs => false,
    }
}

/// Returns whether a node takes turns with others that change the same thing.
#[doc(hidden)]
pub fn takes_turns(node: &Node) -> bool {
    let mut rules = node.resource.schema().fields.iter().flat_map(|field| &field.footprint);
    let mut shares_things = || {
        rules.any(|rule| match rule.verb {
            Verb::Manages => rule.kind != kind::PATH,
            verb => verb == Verb::Ensures && rule.aspect == Some(aspect::TREE),
        })
    };
    lock(node).is_some_and(|lock| !lock.is_empty() || shares_things())
}

/// Returns the lock that a node holds during its turn, which is empty if its type has none.
fn lock(node: &Node) -> Option<&'static str> {
    let takes_turns = !node.resource.batches() && node.group.is_none();
    takes_turns.then(|| node.resource.lock().unwrap_or_default())
}
