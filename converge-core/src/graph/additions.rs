//! What a run keeps of the nodes that it added to a graph.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use super::edge::Edge;
use super::index::NodeIndex;
use super::node::Node;
use crate::types::hash::NameMap;
use crate::types::rows::Rows;

/// What a run added to a graph.
#[derive(Debug)]
pub(super) struct Grown<G> {
    pub(super) base: Arc<G>,
    pub(super) added: Rows<OnceLock<Added>>,
    /// How many nodes there are in all.
    pub(super) len: AtomicUsize,
    /// The ends whose instances are added, from the beginning on.
    pub(super) ends: NameMap<NodeIndex, OnceLock<Instances>>,
}

#[derive(Debug)]
pub(super) struct Added {
    pub(super) node: Node,
    pub(super) end: NodeIndex,
    pub(super) links: OnceLock<Links>,
}

/// What an instance waits for beside what its end waited for, and what waits for it.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// All that it waits for, where that is more than its end waited for.
    pub(crate) dependencies: Option<Box<[Edge]>>,
    pub(crate) dependents: Box<[NodeIndex]>,
}

#[derive(Debug)]
pub(super) struct Instances {
    /// Sorted by id.
    pub(super) nodes: Range<usize>,
    /// What the end waits for, with its instances.
    pub(super) edges: Box<[Edge]>,
}
