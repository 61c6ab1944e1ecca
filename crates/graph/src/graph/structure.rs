//! The structure of a graph: modules, switches, and instances of a `for_each`.

use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::node::{Node, Role};
use crate::types::id::{PATTERN_KEY, outside_keys};

impl Graph {
    #[doc(hidden)]
    pub fn gate(&self, index: NodeIndex) -> Option<NodeIndex> {
        self.dependencies(index).iter().find(|edge| edge.reason == EdgeReason::Gate).map(|edge| edge.on)
    }

    #[doc(hidden)]
    pub fn case_before(&self, index: NodeIndex) -> Option<NodeIndex> {
        if self.node(index).role != Role::Case {
            return None;
        }
        let mut edges = self.dependencies(index).iter();
        edges.find(|edge| edge.reason == EdgeReason::Switch).map(|edge| edge.on)
    }

    /// Returns the parts of an end node; other nodes have none.
    #[doc(hidden)]
    pub fn parts(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let is_end = self.node(index).role.is_end();
        let parts = move |edge: &&Edge| is_end && edge.reason.is_part();
        self.dependencies(index).iter().filter(parts).map(|edge| edge.on)
    }

    /// Returns the nodes whose ids begin with `prefix`, the prefix of a module or a case, in order.
    #[doc(hidden)]
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (NodeIndex, &'a Node)> {
        let base = self.grown.as_ref().map_or(self, |grown| grown.base());
        let added = self.grown.iter().flat_map(move |grown| grown.added_with_prefix(prefix));
        base.own_with_prefix(prefix).chain(added)
    }

    /// Replaces the keys of deferred instances in an id by the pattern key.
    ///
    /// Returns `None` if the id has no such keys.
    ///
    /// This works before patterns are [moved out](Self::collapse) of the graph.
    #[doc(hidden)]
    pub fn in_pattern(&self, id: &str) -> Option<String> {
        if !id.contains("[\"") {
            return None;
        }
        let (mut pattern_id, mut rest, mut is_other) = (String::with_capacity(id.len()), id, false);
        while let Some((at, _)) = outside_keys(rest).find(|(_, byte)| *byte == b'[') {
            let end =
                outside_keys(rest).find(|(end, byte)| *end > at && *byte == b']').map(|(end, _)| end + 1)?;
            pattern_id.push_str(rest.get(..at)?);
            let is_deferred = self.find(&pattern_id).is_some_and(|end| self.node(end).deferred().is_some());
            is_other |= is_deferred;
            pattern_id.push_str(if is_deferred { PATTERN_KEY } else { rest.get(at..end)? });
            rest = rest.get(end..)?;
        }
        pattern_id.push_str(rest);
        is_other.then_some(pattern_id)
    }

    fn own_with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (NodeIndex, &'a Node)> {
        let first = self.nodes.partition_point(|node| node.id.as_str() < prefix);
        let nodes = self.nodes.iter().enumerate().skip(first);
        nodes
            .take_while(move |(_, node)| node.id.as_str().starts_with(prefix))
            .map(|(at, node)| (NodeIndex::new(at), node))
    }

    /// Returns the name of a gate for messages, in code quotes.
    ///
    /// Examples are `` `case "spanish"` of `switch.lang` `` and `` `module.web` ``.
    #[doc(hidden)]
    pub fn called(&self, gate: NodeIndex) -> String {
        let node = self.node(gate);
        let parent = node.id.parent();
        match (node.role, &parent) {
            (Role::Case, Some(switch)) => match node.id.name().strip_prefix("case.") {
                Some("default") => format!("`default` of `{}`", switch.short()),
                name => format!("`case {:?}` of `{}`", name.unwrap_or_default(), switch.short()),
            },
            (Role::Begin, Some(module)) => format!("`{}`", module.short()),
            _ => format!("`{}`", node.id.short()),
        }
    }
}
