//! What is known at load of what one node is about.

use crate::graph::NodeIndex;
use crate::types::footprint::Footprint;

/// The footprint of one node, as far as it is known at load.
#[derive(Debug)]
pub(crate) struct NodeFootprint {
    pub(crate) node: NodeIndex,
    pub(crate) footprint: Footprint,
    pub(crate) condition: Condition,
    /// Of one that may have copies: the same for all copies with the same values, when these are known.
    pub(crate) copy: Option<u64>,
}

/// What a load does not know about whether a node is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// The gate in front of it, when it is not known to be open.
    pub(crate) gate: Option<NodeIndex>,
    /// Whether it has a `when` that is not known to hold.
    pub(crate) own: bool,
}

impl Condition {
    /// Whether the node is handled in every run.
    pub(super) fn is_certain(self) -> bool {
        self.gate.is_none() && !self.own
    }

    /// Whether one node of this condition, and one of the other, are always handled in the same runs.
    pub(super) fn is_shared_with(self, other: Self) -> bool {
        !self.own && self == other
    }
}
