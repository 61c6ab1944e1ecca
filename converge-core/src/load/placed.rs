//! Nodes with what is needed to connect them.

use std::rc::Rc;

use super::blueprint::Waits;
use super::references::Found;
use crate::graph::{EdgeReason, Node, NodeId};

/// A node before it has edges.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) node: Node,
    pub(super) wiring: Wiring,
}

/// What a node waits for, and what waits for it.
#[derive(Debug, Default)]
pub(super) struct Wiring {
    /// The closest gate.
    pub(super) gate: Option<NodeId>,
    /// The end that waits for it, and why.
    pub(super) part_of: Option<(NodeId, EdgeReason)>,
    /// Of a case, the one before it.
    pub(super) after: Option<NodeId>,
    /// Names that it waits for; most wait for none.
    pub(super) waits: Option<Rc<Waits>>,
    /// Names that are used in what is written for it.
    pub(super) references: Option<Rc<[Found]>>,
}
