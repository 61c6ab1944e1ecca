//! What each instance of a `for_each` is made from, when only a run knows which instances there are.
//!
//! A load makes and checks one instance with a key that is not known, as if it were there. Then it is taken out of the graph, and the
//! end of the `for_each` stands for it: it waits for all that is around the pattern and that something in it waits for.

use super::edge::EdgeReason;
use crate::diagnostic::Span;
use crate::types::id::NodeId;

/// The nodes of one instance, with a key that is not known.
#[derive(Debug)]
pub(crate) struct Pattern<N> {
    id: NodeId,
    nodes: Vec<N>,
    /// What each of the nodes waits for.
    waits: Vec<Vec<PatternEdge>>,
}

/// Why a node of a pattern waits, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternEdge {
    pub(crate) on: On,
    pub(crate) reason: EdgeReason,
    pub(crate) span: Option<Span>,
}

/// What a node of a pattern waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Another node of the pattern, by its place there.
    Within(usize),
    /// A node around the pattern, which its end waits for, too.
    Around(NodeId),
}

impl<N> Pattern<N> {
    /// The pattern of an end, of which nothing is known yet.
    pub(crate) fn of(end: &NodeId) -> Self {
        Self::new(end.pattern(), Vec::new())
    }

    /// A pattern whose nodes wait for nothing yet. They are sorted by their ids, so what stands for all of them comes first.
    pub(super) fn new(id: NodeId, nodes: Vec<N>) -> Self {
        let waits = nodes.iter().map(|_| Vec::new()).collect();
        Self { id, nodes, waits }
    }

    pub(super) fn add(&mut self, from: usize, edge: PatternEdge) {
        if let Some(waits) = self.waits.get_mut(from) {
            waits.push(edge);
        }
    }

    /// The node of a place, to change it.
    pub(super) fn node_mut(&mut self, place: usize) -> Option<&mut N> {
        self.nodes.get_mut(place)
    }

    /// How many nodes an instance has.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes of one instance, by their places.
    pub(crate) fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// What the node of a place waits for.
    pub(crate) fn waits(&self, place: usize) -> &[PatternEdge] {
        self.waits.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// The id that an instance has here.
    pub(crate) fn id(&self) -> &NodeId {
        &self.id
    }
}
