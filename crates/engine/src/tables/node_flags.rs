//! Flags of nodes, one bit each.

use std::sync::atomic::{AtomicU16, Ordering};

use crate::graph::{EdgeReason, Graph, Meta, Node, NodeIndex, Pattern, PatternDependency};
use crate::types::node_table::Rows;

/// Plan: an apply would change the node, or might.
pub(crate) const CHANGES: u16 = 1;
/// A direct or indirect dependency of the node has [`CHANGES`].
pub(crate) const WAITS_FOR_CHANGES: u16 = 1 << 1;
/// The module excludes the node.
pub(crate) const NOT_TAKEN: u16 = 1 << 2;
/// The node was changed, or may be changed in a plan. For an end node: something in it was.
pub(crate) const TOUCHED: u16 = 1 << 3;
/// The change of [`TOUCHED`] is certain.
pub(crate) const CERTAIN: u16 = 1 << 4;
/// Case: the case or an earlier one was taken.
pub(crate) const SWITCH_TAKEN: u16 = 1 << 5;
/// Case: it is unknown whether the case or an earlier one is taken.
pub(crate) const SWITCH_OPEN: u16 = 1 << 6;
/// A direct or indirect dependent of the node may look up its values.
pub(super) const READ: u16 = 1 << 7;
/// A node that does work waits for the node.
pub(crate) const AWAITED: u16 = 1 << 8;
/// The run, which added this instance itself, was told to leave it out.
pub(crate) const LEFT_OUT: u16 = 1 << 9;
/// The values or the `when` of the node depend on more than the module.
///
/// Examples are another resource and the facts of the machine.
pub(crate) const VARIES: u16 = 1 << 10;

/// The flags of all nodes. Only the coordinator sets them, and the work on a node [`VARIES`].
#[derive(Debug)]
pub(crate) struct Flags(Rows<AtomicU16>);

impl Flags {
    /// Creates the flags that are known before the run: [`READ`] and [`AWAITED`].
    pub(crate) fn new(graph: &Graph) -> Self {
        let node = |at: usize| graph.node(NodeIndex::new(at));
        let flags = initial_flags(graph.len(), node, |at, seen| {
            graph
                .dependencies(NodeIndex::new(at))
                .iter()
                .for_each(|edge| seen(edge.on.as_usize(), edge.reason));
        });
        Self(Rows::from_rows(flags.into_iter().map(AtomicU16::new)))
    }

    /// Makes room for added nodes, without flags.
    pub(super) fn grow(&self, len: usize) {
        self.0.grow(len, AtomicU16::default);
    }

    pub(crate) fn get(&self, index: NodeIndex) -> u16 {
        self.0.get(index.as_usize()).map_or(0, |flags| flags.load(Ordering::Acquire))
    }

    pub(crate) fn has(&self, index: NodeIndex, any_of: u16) -> bool {
        self.get(index) & any_of != 0
    }

    pub(crate) fn add(&self, index: NodeIndex, flags: u16) {
        if let Some(have) = self.0.get(index.as_usize()) {
            have.fetch_or(flags, Ordering::Release);
        }
    }
}

/// Returns the initial flags of the nodes of a pattern.
///
/// A node that can look up the end node can look up everything inside it.
pub(super) fn pattern_flags(pattern: &Pattern<Node>, end: u16) -> Vec<u16> {
    let node = |at: usize| &pattern.nodes()[at];
    let mut flags = initial_flags(pattern.len(), node, |at, seen| {
        for edge in pattern.waits(at) {
            if let PatternDependency::Within(on) = edge.on {
                seen(on, edge.reason);
            }
        }
    });
    for flags in &mut flags {
        *flags |= end & READ;
    }
    flags
}

/// Returns the initial flags of `len` nodes. `waits` visits the dependencies of a node.
///
/// A lookup can reach every direct and indirect dependency of its node. End nodes read nothing. Values in a
/// module that nothing waits for are therefore not kept.
fn initial_flags<'n>(
    len: usize,
    node: impl Fn(usize) -> &'n Node,
    waits: impl Fn(usize, &mut dyn FnMut(usize, EdgeReason)),
) -> Vec<u16> {
    let mut flags = vec![0; len];
    let does_work = |at: usize| {
        let node = node(at);
        let decides = |meta: &Meta| meta.when.is_some() || meta.deferred.is_some();
        !node.role.is_structure() || node.meta.as_deref().is_some_and(decides)
    };
    let mut open: Vec<usize> = (0..len).filter(|index| does_work(*index)).collect();
    while let Some(index) = open.pop() {
        let is_end = node(index).role.is_end() && node(index).deferred().is_none();
        waits(index, &mut |on, reason| {
            let Some(flags) = flags.get_mut(on) else { return };
            if !is_end {
                *flags |= AWAITED;
            }
            // No name can be looked up along an edge that follows from a thing.
            if !reason.is_automatic() && *flags & READ == 0 {
                *flags |= READ;
                if !does_work(on) {
                    open.push(on);
                }
            }
        });
    }
    flags
}
