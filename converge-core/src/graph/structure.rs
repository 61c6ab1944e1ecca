//! The parts of a graph that hold resources: modules, switches, the instances of a `for_each`.

use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::node::{Node, Role};

impl Graph {
    pub(crate) fn gate(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.dependencies(index).iter().find(|edge| edge.reason == EdgeReason::Gate).map(|edge| edge.on)
    }

    pub(crate) fn case_before(&self, index: NodeIndex) -> Option<NodeIndex> {
        if self.node(index).role != Role::Case {
            return None;
        }
        let mut edges = self.dependencies(index).iter();
        edges.find(|edge| edge.reason == EdgeReason::Switch).map(|edge| edge.on)
    }

    /// The parts of an end; none of anything else.
    pub(crate) fn parts(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let is_end = self.node(index).role.is_end();
        let parts = move |edge: &&Edge| is_end && edge.reason.is_part();
        self.dependencies(index).iter().filter(parts).map(|edge| edge.on)
    }

    /// The nodes whose ids begin with `prefix`, in their order.
    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (NodeIndex, &'a Node)> {
        let base = self.grown.as_ref().map_or(self, |grown| grown.base());
        base.own_with_prefix(prefix)
    }

    fn own_with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (NodeIndex, &'a Node)> {
        let first = self.nodes.partition_point(|node| node.id.as_str() < prefix);
        let nodes = self.nodes.iter().enumerate().skip(first);
        nodes
            .take_while(move |(_, node)| node.id.as_str().starts_with(prefix))
            .map(|(at, node)| (NodeIndex::new(at), node))
    }

    /// What people call a gate, in code quotes: `` `case "spanish"` of `switch.lang` ``, `` `module.web` ``.
    pub(crate) fn called(&self, gate: NodeIndex) -> String {
        let node = self.node(gate);
        let around = node.id.parent();
        match (node.role, &around) {
            (Role::Case, Some(switch)) => match node.id.name().strip_prefix("case.") {
                Some("default") => format!("`default` of `{}`", switch.short()),
                name => format!("`case {:?}` of `{}`", name.unwrap_or_default(), switch.short()),
            },
            (Role::Begin, Some(module)) => format!("`{}`", module.short()),
            _ => format!("`{}`", node.id.short()),
        }
    }
}
