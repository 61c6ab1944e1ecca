//! Copies of one resource, which a module that is used several times makes.

use std::sync::Arc;

use super::uses::Use;
use crate::graph::{AutomaticEdge, Graph, NodeIndex};
use crate::types::hash::NameMap;
use crate::types::id::NodeId;

/// Nodes of which others wait for one of each kind. A module that is used a thousand times makes a thousand copies of the
/// folder that it needs: what is in one use waits for the copy of that use, and not for all of them.
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

/// Copies of the first of them wait for it: what it changes they find done. They are never worked on at the same time, and with
/// this order a plan can say of which something will change.
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

    /// Those that a node in this container waits for.
    pub(super) fn seen_from<'p>(&'p self, container: &'p NodeId) -> impl Iterator<Item = NodeIndex> + 'p {
        let copies = self.copies.iter().flat_map(move |copies| copies.seen_from(container).iter().copied());
        self.alone.iter().copied().chain(copies)
    }
}

impl Copies<'_> {
    /// The closest one around; else one that is there in every run; else all.
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
