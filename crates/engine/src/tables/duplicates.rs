//! Detection of resources that may have duplicates.
//!
//! A module that is called twice may declare a thing twice, such as a folder that both calls need. If both
//! copies ran at the same time, both would find it missing and create it, and one would fail. Copies of the
//! same declaration with the same inputs therefore wait for each other. The second copy then finds the work
//! of the first.
//!
//! The original merged them into one resource. Here each copy keeps its place in the graph, and the second
//! finds nothing to do.

use crate::graph::{Node, Role};

/// Whether the same declaration may have another copy. All copies share their attributes.
pub(crate) fn may_have_duplicates(node: &Node) -> bool {
    node.role == Role::Resource && node.may_be_copy()
}
