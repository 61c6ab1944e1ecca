//! Creation of instances from a pattern.

use super::node::{Node, Role};
use super::pattern::Pattern;
use super::rebase::{Rebase, RebasedScopes};
use crate::types::id::NodeId;
use crate::types::scope::Each;

impl Pattern<Node> {
    /// Returns the position of the node with an id of the pattern.
    #[doc(hidden)]
    pub fn find(&self, id: &str) -> Option<usize> {
        self.nodes().binary_search_by(|node| node.id.as_str().cmp(id)).ok()
    }

    /// Whether the pattern contains a `case`.
    #[doc(hidden)]
    pub fn has_cases(&self) -> bool {
        self.nodes().iter().any(|node| node.role == Role::Case)
    }

    /// Returns the mapping from ids of this pattern to those of an instance.
    #[doc(hidden)]
    pub fn rebase(&self, instance: &NodeId) -> Rebase {
        Rebase::new(self.id(), instance)
    }

    /// Creates the nodes of an instance, by position.
    #[doc(hidden)]
    pub fn instance(&self, rebase: &Rebase, item: &Each) -> Vec<Node> {
        let mut scopes = RebasedScopes::new(rebase, item);
        let node = |node: &Node| Node {
            id: rebase.id(&node.id),
            resource: node.resource.clone(),
            role: node.role,
            attributes: node.attributes.clone(),
            scope: scopes.scope(&node.scope),
            group: node.group.clone(),
            meta: node.meta.clone(),
            span: node.span,
            declared: node.declared,
        };
        self.nodes().iter().map(node).collect()
    }
}
