//! Footprints of the nodes of one instance, computed before any of them is worked on.
//!
//! The order of files and folders follows from the footprints. Only the code that makes an instance has all
//! of them at once.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::instance_scope::Instance;
use crate::graph::{Node, Pattern, Role};
use crate::inputs::scope::NodeScope;
use crate::sdk::context::RunMode;
use crate::tables::managed_so_far::{Values, footprint};
use crate::types::footprint::Footprint;
use converge_graph::footprint::takes_turns;

/// The footprint of each node of an instance, and a hash that its copies share.
pub(super) struct Footprints(Vec<FootprintEntry>);

/// The footprint of a node of an instance.
#[derive(Default)]
pub(super) struct FootprintEntry {
    pub(super) footprint: Option<Footprint>,
    /// The larger footprint under the assumption that each looked-up export equals the declared field.
    pub(super) assumed: Option<Footprint>,
    /// A hash shared by all copies of the node with the same values.
    pub(super) copy: Option<u64>,
}

impl Footprints {
    /// Computes the footprints; they are empty if no order depends on things.
    pub(super) fn new(scope: &NodeScope<'_>, pattern: &Pattern<Node>, nodes: &[Node]) -> Self {
        let is_ordered = scope.shared().graph.managed_in_run().uses.is_some();
        let instance = Instance::new(scope, pattern, nodes);
        let assuming = instance.assuming();
        let is_applied = scope.shared().mode() == RunMode::Apply;
        let of_node = |(place, node): (usize, &Node)| {
            let has_footprint = is_ordered && node.resource.has_footprint();
            let is_copy = node.may_be_copy();
            if node.role != Role::Resource || !has_footprint && !is_copy {
                return FootprintEntry::default();
            }
            let values = instance.values(place);
            let copy = if is_copy { copy(node, &values) } else { None };
            let footprint = has_footprint.then(|| footprint(node, Some(&values)));
            let is_partial = footprint.as_ref().is_some_and(|footprint| footprint.partial);
            let assumed = is_partial && is_applied && takes_turns(node);
            let assumed = assumed.then(|| self::footprint(node, Some(&assuming.values(place))));
            FootprintEntry { footprint, assumed, copy }
        };
        Self(nodes.iter().enumerate().map(of_node).collect())
    }

    pub(super) fn take(&mut self) -> Vec<FootprintEntry> {
        std::mem::take(&mut self.0)
    }
}

/// Returns a hash shared by all copies of a node with these values, or `None` if some are unknown.
fn copy(node: &Node, values: &Values) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    Arc::as_ptr(&node.attributes).hash(&mut hasher);
    for value in values {
        if value.as_ref().is_some_and(|value| value.find_unknown().is_some()) {
            return None;
        }
        value.is_some().hash(&mut hasher);
        if let Some(value) = value {
            value.hash_exposed(&mut hasher);
        }
    }
    Some(hasher.finish())
}
