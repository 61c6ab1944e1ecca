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
        let dependency = *first.entry(copy).or_insert(from);
        (dependency != from).then_some(AutomaticEdge {
            from,
            on: dependency,
            gives_way: false,
            thing: None,
            even_after: false,
        })
    };
    copies.iter().filter_map(edge).collect()
}

impl<'a> Providers<'a> {
    pub(super) fn new(graph: &'a Graph, uses: impl Iterator<Item = Use>) -> Self {
        let mut providers = Self::default();
        let mut places = NameMap::default();
        for node_use in uses {
            let node = graph.node(node_use.node);
            providers.any_certain |= node_use.certain;
            if !node.may_be_copy() {
                providers.alone.push(node_use.node);
                continue;
            }
            let next = providers.copies.len();
            let place = *places.entry(Arc::as_ptr(&node.attributes)).or_insert(next);
            if place == next {
                providers.copies.push(Copies::default());
            }
            let Some(copies) = providers.copies.get_mut(place) else { continue };
            copies.by_container.insert(&node.scope.container, node_use.node);
            copies.all.push(node_use.node);
            copies.first_certain = copies.first_certain.or(node_use.certain.then_some(node_use.node));
        }
        providers
    }

    pub(super) fn is_empty(&self) -> bool {
        self.alone.is_empty() && self.copies.is_empty()
    }

    /// Returns the providers that a node in `container` waits for.
    pub(super) fn for_container<'p>(&'p self, container: &'p NodeId) -> impl Iterator<Item = NodeIndex> + 'p {
        let copies =
            self.copies.iter().flat_map(move |copies| copies.for_container(container).iter().copied());
        self.alone.iter().copied().chain(copies)
    }
}

impl Copies<'_> {
    /// Returns the copy in the closest enclosing container, else one that exists in every run, else all.
    fn for_container(&self, container: &NodeId) -> &[NodeIndex] {
        let mut ancestors = std::iter::successors(Some(container.clone()), NodeId::parent);
        let closest = ancestors.find_map(|container_id| self.by_container.get(&container_id));
        let provider = closest.or(self.first_certain.as_ref());
        match provider {
            Some(provider) => std::slice::from_ref(provider),
            None => &self.all,
        }
    }
}
