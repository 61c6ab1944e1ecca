//! Edges that follow from footprints and copies rather than from names.

use super::index::NodeIndex;
use crate::types::footprint::Thing;

/// An edge between two nodes that concern the same thing, or that are copies of each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[doc(hidden)]
pub struct AutomaticEdge {
    #[doc(hidden)]
    pub from: NodeIndex,
    #[doc(hidden)]
    pub on: NodeIndex,
    /// Whether this edge is dropped before others to break a cycle.
    ///
    /// It only orders a path after the maker of a parent folder.
    #[doc(hidden)]
    pub gives_way: bool,
    /// The common thing, or `None` for copies of the same resource.
    #[doc(hidden)]
    pub thing: Option<Thing>,
    /// Whether the outcome of the other node does not matter.
    #[doc(hidden)]
    pub even_after: bool,
}

/// The automatic edges that were added, and those that were left out.
#[derive(Debug, Default)]
pub(super) struct AutomaticEdges {
    /// Sorted, with one edge per pair of nodes.
    pub(super) added: Vec<AutomaticEdge>,
    pub(super) left_out: Vec<AutomaticEdge>,
}
