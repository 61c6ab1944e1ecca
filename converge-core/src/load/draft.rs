//! Nodes before they have edges.

use std::sync::Arc;

use super::declaration::DeclaredDependencies;
use super::references::NameUse;
use crate::graph::{EdgeReason, Node, NodeId};

/// A node, and what is needed to connect it.
#[derive(Debug)]
pub(super) struct NodeDraft {
    pub(super) node: Node,
    pub(super) links: UnresolvedLinks,
}

/// What a node waits for, and what waits for it, by id and by name.
#[derive(Debug, Default)]
pub(super) struct UnresolvedLinks {
    /// What no name says, shared by the nodes of one place; a plain resource of the root module has nothing of it, and there
    /// are many of these.
    pub(super) structure: Option<Arc<StructureLinks>>,
    /// Names that it waits for; most wait for none.
    pub(super) dependencies: Option<Arc<DeclaredDependencies>>,
    /// Names that are used in what is written for it.
    pub(super) references: Option<Arc<[NameUse]>>,
}

/// What a node waits for, and what waits for it, because of where it is.
#[derive(Clone, Debug, Default)]
pub(super) struct StructureLinks {
    pub(super) gate: Option<NodeId>,
    /// The end that waits for it, and why.
    pub(super) part_of: Option<(NodeId, EdgeReason)>,
    /// Of a case, the one before it.
    pub(super) after: Option<NodeId>,
}

impl StructureLinks {
    /// The same in a form to be shared, if there is any.
    pub(super) fn shared(self) -> Option<Arc<Self>> {
        let any = self.gate.is_some() || self.part_of.is_some() || self.after.is_some();
        any.then(|| Arc::new(self))
    }
}
