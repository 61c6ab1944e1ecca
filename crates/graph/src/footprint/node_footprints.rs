//! The footprints of nodes as far as they are known at load.

use crate::graph::{Collapsed, DeclaredPaths, NodeIndex, PathNames, Patterns};
use crate::types::footprint::Footprint;

/// The footprints of nodes, in the order of the nodes.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Footprints {
    nodes: Vec<NodeFootprint>,
    /// A key for each node that may have copies; copies with the same known values have the same key.
    copies: Vec<(NodeIndex, u64)>,
    /// The assumed footprints of nodes that take turns and are not completely known.
    ///
    /// They assume that every lookup gives the declared value.
    assumed: Vec<(NodeIndex, Footprint)>,
}

#[derive(Debug)]
pub(crate) struct NodeFootprint {
    pub(crate) node: NodeIndex,
    pub(crate) condition: Condition,
    pub(crate) footprint: Footprint,
}

impl Footprints {
    #[doc(hidden)]
    pub fn with_capacity(nodes: usize) -> Self {
        Self { nodes: Vec::with_capacity(nodes), ..Self::default() }
    }

    /// Adds the footprint of a node, which must come after the existing ones.
    #[doc(hidden)]
    pub fn push(&mut self, node: NodeIndex, footprint: Footprint, condition: Condition) {
        self.nodes.push(NodeFootprint { node, condition, footprint });
    }

    /// Adds the copy key of a node.
    #[doc(hidden)]
    pub fn push_copy(&mut self, node: NodeIndex, copy: u64) {
        self.copies.push((node, copy));
    }

    /// Adds the assumed footprint of a node that is not completely known.
    #[doc(hidden)]
    pub fn push_assumed(&mut self, node: NodeIndex, footprint: Footprint) {
        self.assumed.push((node, footprint));
    }

    /// Makes the nodes of instance patterns conditional, because only a run knows whether instances exist.
    ///
    /// All nodes of one pattern share the condition. Their copies are also known only in a run.
    #[doc(hidden)]
    pub fn in_patterns(&mut self, patterns: &Patterns) {
        if patterns.is_empty() {
            return;
        }
        for footprint in &mut self.nodes {
            if let Some(end) = patterns.end(footprint.node) {
                let is_within = |gate: &NodeIndex| patterns.end(*gate) == Some(end);
                footprint.condition.gate = footprint.condition.gate.filter(is_within).or(Some(end));
            }
        }
        self.copies.retain(|(node, _)| patterns.end(*node).is_none());
    }

    /// Removes the nodes of instance patterns, which are no longer in the graph, and updates indexes.
    #[doc(hidden)]
    pub fn collapse(&mut self, patterns: &Patterns, collapsed: &Collapsed) {
        self.nodes.retain(|footprint| patterns.end(footprint.node).is_none());
        for footprint in &mut self.nodes {
            footprint.node = collapsed.place(footprint.node);
            footprint.condition.gate = footprint.condition.gate.map(|gate| collapsed.place(gate));
        }
    }

    /// Replaces all paths by their canonical names, with the links that the nodes declare.
    #[doc(hidden)]
    pub fn canonicalize(&mut self, names: &PathNames) {
        let mut declared = DeclaredPaths::default();
        let certain = self.nodes.iter().filter(|node| node.condition.is_certain());
        certain.for_each(|node| declared.add(names, &node.footprint));
        names.declare(declared);
        let footprints = self.nodes.iter_mut().map(|node| &mut node.footprint);
        let footprints = footprints.chain(self.assumed.iter_mut().map(|(_, footprint)| footprint));
        footprints.for_each(|footprint| names.canonicalize(footprint));
    }

    pub(super) fn nodes(&self) -> &[NodeFootprint] {
        &self.nodes
    }

    pub(super) fn copies(&self) -> &[(NodeIndex, u64)] {
        &self.copies
    }

    pub(super) fn assumed(&self) -> &[(NodeIndex, Footprint)] {
        &self.assumed
    }
}

/// The unknown conditions under which a node is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct Condition {
    /// The gate in front of the node, if it is not known to be open.
    #[doc(hidden)]
    pub gate: Option<NodeIndex>,
    /// Whether the node has a `when` that is not known to hold.
    #[doc(hidden)]
    pub own: bool,
}

impl Condition {
    /// Returns whether the node is handled in every run.
    pub(super) fn is_certain(self) -> bool {
        self.gate.is_none() && !self.own
    }

    /// Returns whether nodes with these two conditions are always handled in the same runs.
    pub(super) fn is_shared_with(self, other: Self) -> bool {
        !self.own && self == other
    }
}

/// Returns whether both nodes are certainly handled in the same runs; otherwise it is no error yet.
pub(super) fn is_certain(a: &NodeFootprint, b: &NodeFootprint) -> bool {
    let (a, b) = (a.condition, b.condition);
    a.is_certain() && b.is_certain() || a.is_shared_with(b)
}
