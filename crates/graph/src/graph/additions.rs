//! The nodes that a run adds to a graph.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use super::edge::Edge;
use super::index::NodeIndex;
use super::node::Node;
use crate::types::hash::NameMap;
use crate::types::id::NodeId;
use crate::types::node_table::Rows;

/// The nodes that a run added to a graph.
#[derive(Debug)]
pub(super) struct Extended<G> {
    pub(super) base: Arc<G>,
    pub(super) added: Rows<OnceLock<Added>>,
    /// The number of all nodes.
    pub(super) len: AtomicUsize,
    /// The instances of the end nodes in the loaded graph, filled in when they are added.
    pub(super) ends: NameMap<NodeIndex, OnceLock<Instances>>,
}

#[derive(Debug)]
pub(super) struct Added {
    pub(super) node: Node,
    pub(super) end: NodeIndex,
    pub(super) links: OnceLock<Links>,
    /// The instances of the node, if it is an end node and they are known.
    pub(super) instances: OnceLock<Instances>,
}

/// The dependencies and dependents of an added node.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct Links {
    /// The dependencies, sorted by their target.
    #[doc(hidden)]
    pub dependencies: Box<[Edge]>,
    /// The dependents, sorted. Nodes of the loaded graph are not included.
    #[doc(hidden)]
    pub dependents: Box<[NodeIndex]>,
}

#[derive(Debug)]
pub(super) struct Instances {
    /// The indexes of the instances, sorted by id.
    pub(super) nodes: Range<usize>,
    /// The dependencies of the end node, including its instances.
    pub(super) edges: Box<[Edge]>,
    /// The nodes in cases of switches, by the id that they would have next to their switch.
    pub(super) in_cases: NameMap<NodeId, Vec<NodeIndex>>,
}
