//! What a run keeps of the nodes that it added to a graph.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use super::edge::Edge;
use super::index::NodeIndex;
use super::node::Node;
use crate::types::hash::NameMap;
use crate::types::id::NodeId;
use crate::types::node_table::Rows;

/// What a run added to a graph.
#[derive(Debug)]
pub(super) struct Grown<G> {
    pub(super) base: Arc<G>,
    pub(super) added: Rows<OnceLock<Added>>,
    /// How many nodes there are in all.
    pub(super) len: AtomicUsize,
    /// The ends of the graph that was loaded whose instances are added, from the beginning on.
    pub(super) ends: NameMap<NodeIndex, OnceLock<Instances>>,
}

#[derive(Debug)]
pub(super) struct Added {
    pub(super) node: Node,
    pub(super) end: NodeIndex,
    pub(super) links: OnceLock<Links>,
    /// Of an end, when its instances are known.
    pub(super) instances: OnceLock<Instances>,
}

/// What a node that was added waits for, and what waits for it.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Sorted by what is waited for.
    pub(crate) dependencies: Box<[Edge]>,
    /// Sorted. Of what was there before, those that wait for it are not among them.
    pub(crate) dependents: Box<[NodeIndex]>,
}

#[derive(Debug)]
pub(super) struct Instances {
    /// Sorted by id.
    pub(super) nodes: Range<usize>,
    /// What the end waits for, with its instances.
    pub(super) edges: Box<[Edge]>,
    /// Those in cases of switches, by the id that they would have next to their switch.
    pub(super) in_cases: NameMap<NodeId, Vec<NodeIndex>>,
}
