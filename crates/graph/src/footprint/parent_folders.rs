//! Parent folders that a resource creates together with its own folder.
//!
//! A resource that works in such a folder waits for one creator, if no resource manages the folder itself in
//! every run. One creator is enough: the folder exists once that one is done.

use std::collections::HashSet;

use super::node_footprints::Condition;
use crate::graph::NodeIndex;
use crate::types::hash::NameMap;

/// The nodes that create parent folders.
#[derive(Debug, Default)]
pub(super) struct ParentFolders<'a> {
    /// Two creators for each folder and condition: the first, and the first one in another subfolder.
    makers: NameMap<(&'a str, Condition), [Option<Maker<'a>>; 2]>,
    nodes: HashSet<NodeIndex>,
}

#[derive(Clone, Copy, Debug)]
struct Maker<'a> {
    node: NodeIndex,
    /// The path that the node creates inside the folder.
    to: &'a str,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Worker<'a> {
    pub(super) path: &'a str,
    /// Whether the path exists once the node is done.
    pub(super) provides: bool,
    pub(super) condition: Condition,
}

impl<'a> ParentFolders<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns whether a node creates all parent folders that it needs.
    pub(super) fn makes_its_own(&self, node: NodeIndex) -> bool {
        self.nodes.contains(&node)
    }

    /// Adds a node that creates `folder` on the way to the path `to`.
    pub(super) fn add(&mut self, folder: &'a str, node: NodeIndex, to: &'a str, condition: Condition) {
        self.nodes.insert(node);
        let maker = Some(Maker { node, to });
        match self.makers.entry((folder, condition)).or_default() {
            [first @ None, _] => *first = maker,
            [Some(first), second @ None] if part(folder, first.to) != part(folder, to) => *second = maker,
            _ => {}
        }
    }

    /// Returns a creator of a folder for a node that works in it or with it.
    ///
    /// Creators of something inside the worker's own path are skipped, because they already wait for the
    /// worker.
    pub(super) fn maker(&self, folder: &str, worker: Worker<'_>) -> Option<NodeIndex> {
        let Condition { gate, .. } = worker.condition;
        let conditions = [(None, false), (gate, false), (gate, true), (None, true)];
        let mut makers = conditions
            .into_iter()
            .filter_map(|(gate, own)| self.makers.get(&(folder, Condition { gate, own })))
            .flatten()
            .flatten();
        let is_before = |maker: &&Maker<'_>| !(worker.provides && is_in(worker.path, maker.to));
        makers.find(is_before).map(|maker| maker.node)
    }
}

/// Returns the first path component below a folder.
fn part<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let inside = path.strip_prefix(folder)?.trim_start_matches('/');
    inside.split('/').next()
}

fn is_in(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
