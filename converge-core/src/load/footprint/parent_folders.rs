//! Folders that are made on the way to another one, as a resource does that makes a folder with all those around it.
//!
//! What works in such a folder waits for one who makes it, where nobody makes the folder itself in every run. One is enough: the folder is
//! there when that one is done.

use std::collections::HashSet;

use super::node_footprints::Condition;
use crate::graph::NodeIndex;
use crate::types::hash::NameMap;

/// Who makes which folders on the way.
#[derive(Debug, Default)]
pub(super) struct OnTheWay<'a> {
    /// Of all who make a folder under one condition, the first one, and the first that is in another part of the folder than that.
    makers: NameMap<(&'a str, Condition), [Option<Maker<'a>>; 2]>,
    nodes: HashSet<NodeIndex>,
}

/// One who makes a folder on the way.
#[derive(Clone, Copy, Debug)]
struct Maker<'a> {
    node: NodeIndex,
    /// On the way to this.
    to: &'a str,
}

/// Who works with a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worker<'a> {
    pub(super) path: &'a str,
    /// The path is there when it is done.
    pub(super) provides: bool,
    pub(super) condition: Condition,
}

impl<'a> OnTheWay<'a> {
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a node makes all folders that it needs.
    pub(super) fn makes_its_own(&self, node: NodeIndex) -> bool {
        self.nodes.contains(&node)
    }

    /// Adds one who makes a folder on the way to something in it.
    pub(super) fn add(&mut self, folder: &'a str, node: NodeIndex, to: &'a str, condition: Condition) {
        self.nodes.insert(node);
        let maker = Some(Maker { node, to });
        match self.makers.entry((folder, condition)).or_default() {
            [first @ None, _] => *first = maker,
            [Some(first), second @ None] if part(folder, first.to) != part(folder, to) => *second = maker,
            _ => {}
        }
    }

    /// Who makes a folder, for one who works in it, or with it. Not one for whom the latter makes something: that waits already.
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

/// The part of a folder that something is in.
fn part<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    let inside = path.strip_prefix(folder)?.trim_start_matches('/');
    inside.split('/').next()
}

fn is_in(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
