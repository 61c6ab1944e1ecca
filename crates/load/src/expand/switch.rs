//! Expansion of switches: gates for the cases, and an end node that waits for all of them.

use std::sync::Arc;

use super::expander::{Expander, NodeContainer};
use crate::graph::{EdgeReason, LexicalScope, Meta, Role};
use crate::model::blueprint::SwitchBlueprint;
use crate::model::draft::{StructureLinks, UnresolvedLinks};
use converge_value::types::id::NodeId;

impl Expander<'_> {
    pub(super) fn switch(&mut self, switch: &SwitchBlueprint, container: &NodeContainer) {
        let types = self.types;
        let id = container.scope.container.child(&switch.name);
        if self.reserve(Some(switch.span)).is_none() {
            return;
        }
        let node = container.structure(&id, (Role::Switch, &types.switch), Some(switch.span));
        self.push(node, container.links());
        let end = Some((id.clone(), EdgeReason::Switch));
        let mut before: Option<NodeId> = None;
        for case in &switch.cases {
            let case_id = id.child(&case.name);
            if self.reserve(Some(case.span)).is_none() {
                return;
            }
            let mut node = container.structure(&case_id, (Role::Case, &types.case), Some(case.span));
            node.meta = Meta { when: case.predicate.clone(), ..Meta::default() }.into_box();
            let links = StructureLinks {
                gate: container.gate(),
                part_of: end.clone(),
                after: before.replace(case_id.clone()),
            };
            let references = Some(Arc::clone(&case.references));
            self.push(node, UnresolvedLinks { structure: links.shared(), references, dependencies: None });
            let scope = LexicalScope { container: case_id.clone(), ..LexicalScope::clone(&container.scope) };
            let inner_links = StructureLinks { gate: Some(case_id), part_of: end.clone(), after: None };
            let inner = NodeContainer { scope: Arc::new(scope), structure: inner_links.shared() };
            for resource in &case.resources {
                self.resource(resource.clone(), &inner);
            }
        }
    }
}
