//! What is known of each node, one bit each.

use std::sync::atomic::{AtomicU16, Ordering};

use crate::graph::{Graph, Meta, NodeIndex};
use crate::types::rows::Rows;

/// Plan: an apply would change the node, or may.
pub(super) const CHANGES: u16 = 1;
/// Something that the node waits for, however far away, has [`CHANGES`].
pub(super) const WAITS_FOR_CHANGES: u16 = 1 << 1;
/// The module says that the node is not handled.
pub(super) const NOT_TAKEN: u16 = 1 << 2;
/// The node was changed, or in a plan may be changed; of an end, something in it.
pub(super) const TOUCHED: u16 = 1 << 3;
/// And that is certain.
pub(super) const CERTAIN: u16 = 1 << 4;
/// Of a case: it was taken, or one before it.
pub(super) const SWITCH_TAKEN: u16 = 1 << 5;
/// Of a case: whether it is taken, or one before it, is not known.
pub(super) const SWITCH_OPEN: u16 = 1 << 6;
/// Something that may look up values waits for the node, however far away.
pub(super) const READ: u16 = 1 << 7;
/// Something that does work waits for the node.
pub(super) const AWAITED: u16 = 1 << 8;
/// The run was told to leave out this instance, which it added itself.
pub(super) const LEFT_OUT: u16 = 1 << 9;

/// The flags of all nodes. Only the coordinator sets them.
#[derive(Debug)]
pub(super) struct Flags(Rows<AtomicU16>);

impl Flags {
    /// With what is known before the run: [`READ`] and [`AWAITED`].
    ///
    /// A lookup may lead to everything that its node waits for, however far away. Ends read nothing, so
    /// what is in a module that nothing waits for need not be kept.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut flags = vec![0; graph.len()];
        let does_work = |index| {
            let node = graph.node(index);
            let decides = |meta: &Meta| meta.when.is_some() || meta.deferred.is_some();
            !node.role.is_structure() || node.meta.as_deref().is_some_and(decides)
        };
        let mut open: Vec<NodeIndex> =
            graph.nodes().map(|(index, _)| index).filter(|index| does_work(*index)).collect();
        while let Some(index) = open.pop() {
            for edge in graph.dependencies(index) {
                let Some(flags) = flags.get_mut(edge.on.as_usize()) else { continue };
                if !graph.node(index).role.is_end() || graph.node(index).deferred().is_some() {
                    *flags |= AWAITED;
                }
                // No name leads along such an edge.
                if edge.reason.is_automatic() {
                    continue;
                }
                if *flags & READ == 0 {
                    *flags |= READ;
                    if !does_work(edge.on) {
                        open.push(edge.on);
                    }
                }
            }
        }
        Self(Rows::of(flags.into_iter().map(AtomicU16::new)))
    }

    /// Makes room for nodes that were added, of which nothing is known.
    pub(super) fn grow(&self, len: usize) {
        self.0.grow(len, AtomicU16::default);
    }

    pub(super) fn get(&self, index: NodeIndex) -> u16 {
        self.0.get(index.as_usize()).map_or(0, |flags| flags.load(Ordering::Acquire))
    }

    pub(super) fn has(&self, index: NodeIndex, any_of: u16) -> bool {
        self.get(index) & any_of != 0
    }

    pub(super) fn add(&self, index: NodeIndex, flags: u16) {
        if let Some(have) = self.0.get(index.as_usize()) {
            have.fetch_or(flags, Ordering::Release);
        }
    }
}
