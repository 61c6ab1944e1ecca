//! Edges that follow from footprints and copies rather than from names.

use super::index::NodeIndex;
use crate::types::footprint::Thing;

/// An edge between two nodes that concern the same thing, or that are copies of each other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AutomaticEdge {
    pub(crate) from: NodeIndex,
    pub(crate) on: NodeIndex,
    /// Whether this edge is dropped before others to break a cycle.
    ///
    /// It only orders a path after the maker of a parent folder.
    pub(crate) gives_way: bool,
    /// The common thing, or `None` for copies of the same resource.
    pub(crate) thing: Option<Thing>,
}

/// The automatic edges that were added, and those that were left out.
#[derive(Debug, Default)]
pub(super) struct AutomaticEdges {
    /// Sorted, with one edge per pair of nodes.
    pub(super) added: Vec<AutomaticEdge>,
    pub(super) left_out: Vec<AutomaticEdge>,
}
