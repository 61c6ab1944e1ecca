//! Patterns for the instances of a `for_each` whose items only a run knows.
//!
//! A load creates and checks one instance with an unknown key, as if it existed. Then the instance is moved
//! out of the graph, and the end node of the `for_each` stands for it. The end node waits for everything
//! outside of the pattern that something in it waits for.

use super::edge::EdgeReason;
use crate::diagnostic::Span;
use crate::types::id::NodeId;

/// The nodes of one instance with an unknown key.
#[derive(Debug)]
#[doc(hidden)]
pub struct Pattern<N> {
    id: NodeId,
    nodes: Vec<N>,
    /// The dependencies of each node.
    waits: Vec<Vec<PatternEdge>>,
}

/// A dependency of a pattern node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct PatternEdge {
    #[doc(hidden)]
    pub on: PatternDependency,
    #[doc(hidden)]
    pub reason: EdgeReason,
    #[doc(hidden)]
    pub span: Option<Span>,
}

/// The target of a dependency of a pattern node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum PatternDependency {
    /// Another node of the pattern, by position.
    Within(usize),
    /// A node outside of the pattern, which the end node depends on too.
    Around(NodeId),
}

impl<N> Pattern<N> {
    /// Creates an empty pattern for an end node.
    #[doc(hidden)]
    pub fn empty(end: &NodeId) -> Self {
        Self::new(end.pattern(), Vec::new())
    }

    /// Creates a pattern without edges.
    ///
    /// The nodes are sorted by id, so the node for the whole instance comes first.
    pub(super) fn new(id: NodeId, nodes: Vec<N>) -> Self {
        let waits = nodes.iter().map(|_| Vec::new()).collect();
        Self { id, nodes, waits }
    }

    pub(super) fn add(&mut self, from: usize, edge: PatternEdge) {
        if let Some(waits) = self.waits.get_mut(from) {
            waits.push(edge);
        }
    }

    /// Returns the node at a position for modification.
    pub(super) fn node_mut(&mut self, place: usize) -> Option<&mut N> {
        self.nodes.get_mut(place)
    }

    /// Returns the number of nodes per instance.
    #[doc(hidden)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether an instance has no nodes.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the nodes of one instance, by position.
    #[doc(hidden)]
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// Returns the dependencies of the node at a position.
    #[doc(hidden)]
    pub fn waits(&self, place: usize) -> &[PatternEdge] {
        self.waits.get(place).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the id of the instance in the pattern.
    #[doc(hidden)]
    pub fn id(&self) -> &NodeId {
        &self.id
    }
}
