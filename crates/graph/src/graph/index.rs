//! Indexes of nodes in one graph.

/// The index of a node in one [`Graph`](super::Graph); nodes are numbered in the order of their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct NodeIndex(u32);

impl NodeIndex {
    /// Returns the number as an index into per-node tables.
    pub fn as_usize(self) -> usize {
        self.0 as usize
    }

    #[doc(hidden)]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    #[doc(hidden)]
    pub fn number(self) -> u32 {
        self.0
    }
}
