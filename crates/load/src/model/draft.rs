//! Nodes that are not connected by edges yet.

use std::sync::Arc;

use super::declaration::DeclaredDependencies;
use super::references::NameUse;
use crate::graph::{EdgeReason, Node, NodeId};

/// A node with the links from which its edges are made.
#[derive(Debug)]
pub(crate) struct NodeDraft {
    pub(crate) node: Node,
    pub(crate) links: UnresolvedLinks,
}

/// The links of a node by ID and by name, before they are resolved to edges.
#[derive(Debug, Default)]
pub(crate) struct UnresolvedLinks {
    /// The links that follow from the position of the node, shared by all nodes there.
    ///
    /// Plain resources of the root module, the most frequent nodes, have none.
    pub(crate) structure: Option<Arc<StructureLinks>>,
    /// The names in `depends` and similar arguments; most nodes have none.
    pub(crate) dependencies: Option<Arc<DeclaredDependencies>>,
    /// The names used in the node's inputs.
    pub(crate) references: Option<Arc<[NameUse]>>,
}

/// The links that follow from the position of a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct StructureLinks {
    pub(crate) gate: Option<NodeId>,
    /// The end node that waits for this node, and the reason.
    pub(crate) part_of: Option<(NodeId, EdgeReason)>,
    /// The previous case of the same switch.
    pub(crate) after: Option<NodeId>,
}

impl StructureLinks {
    /// Wraps the links in an `Arc`; returns `None` if there are none.
    pub(crate) fn shared(self) -> Option<Arc<Self>> {
        let is_needed = self.gate.is_some() || self.part_of.is_some() || self.after.is_some();
        is_needed.then(|| Arc::new(self))
    }
}
