//! Edges that no name makes, and why they are there.

use super::index::NodeIndex;
use crate::types::footprint::Thing;

/// One node waits for another because of a thing that both have to do with, or as it is a copy of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AutomaticEdge {
    pub(crate) from: NodeIndex,
    pub(crate) on: NodeIndex,
    /// It is left out before others where nodes would wait for each other: it says only who makes a folder on the way to another.
    pub(crate) gives_way: bool,
    /// `None` for a copy of the same resource.
    pub(crate) thing: Option<Thing>,
}

/// The things behind the edges that were added, and the edges that were not.
#[derive(Debug, Default)]
pub(super) struct AutomaticEdges {
    /// Sorted, with one for each pair of nodes.
    pub(super) added: Vec<AutomaticEdge>,
    pub(super) left_out: Vec<AutomaticEdge>,
}
