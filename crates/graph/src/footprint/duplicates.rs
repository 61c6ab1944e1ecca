//! Copies of a resource that are created by several uses of one module.

use std::sync::Arc;

use super::uses::Use;
use crate::graph::{AutomaticEdge, Graph, NodeIndex};
use crate::types::hash::NameMap;
use crate::types::id::NodeId;

/// Nodes that provide a thing, from which each dependent selects the ones to wait for.
///
/// A module that is used a thousand times creates a thousand copies of the folder it needs. A node waits only
/// for the copy of its own use.
#[derive(Debug, Default)]
pub(super) struct Providers<'a> {
    alone: Vec<NodeIndex>,
    copies: Vec<Copies<'a>>,
    pub(super) any_certain: bool,
}

#[derive(Debug, Default)]
struct Copies<'a> {
    by_container: NameMap<&'a NodeId, NodeIndex>,
    all: Vec<NodeIndex>,
    first_certain: Option<NodeIndex>,
}

/// Makes later copies wait for the first one.
///
/// The first copy changes the thing, and the others then find it unchanged. Copies never run at the same time
/// anyway, and with a fixed order a plan can tell which one makes the change.
pub(super) fn edges(copies: &[(NodeIndex, u64)]) -> Vec<AutomaticEdge> {
    let mut first = NameMap::default();
    let edge = |&(from, copy)| {
        let on = *first.entry(copy).or_insert(from);
        (on != from).then_some(AutomaticEdge { from, on, gives_way: false, thing: None })
    };
    copies.iter().filter_map(edge).collect()
}

impl<'a> Providers<'a> {
    pub(super) fn of(graph: &'a Graph, uses: impl Iterator<Item = Use>) -> Self {
        let mut providers = Self::default();
        let mut places = NameMap::default();
        for one in uses {
            let node = graph.node(one.node);
            providers.any_certain |= one.certain;
            if !node.may_be_copy() {
                providers.alone.push(one.node);
                continue;
            }
            let next = providers.copies.len();
            let place = *places.entry(Arc::as_ptr(&node.attributes)).or_insert(next);
            if place == next {
                providers.copies.push(Copies::default());
            }
            let Some(copies) = providers.copies.get_mut(place) else { continue };
            copies.by_container.insert(&node.scope.container, one.node);
            copies.all.push(one.node);
            copies.first_certain = copies.first_certain.or(one.certain.then_some(one.node));
        }
        providers
    }

    pub(super) fn is_empty(&self) -> bool {
        self.alone.is_empty() && self.copies.is_empty()
    }

    /// Returns the providers that a node in `container` waits for.
    pub(super) fn seen_from<'p>(&'p self, container: &'p NodeId) -> impl Iterator<Item = NodeIndex> + 'p {
        let copies = self.copies.iter().flat_map(move |copies| copies.seen_from(container).iter().copied());
        self.alone.iter().copied().chain(copies)
    }
}

impl Copies<'_> {
    /// Returns the copy in the closest enclosing container, else one that exists in every run, else all.
    fn seen_from(&self, container: &NodeId) -> &[NodeIndex] {
        let mut around = std::iter::successors(Some(container.clone()), NodeId::parent);
        let closest = around.find_map(|at| self.by_container.get(&at));
        let one = closest.or(self.first_certain.as_ref());
        match one {
            Some(one) => std::slice::from_ref(one),
            None => &self.all,
        }
    }
}
