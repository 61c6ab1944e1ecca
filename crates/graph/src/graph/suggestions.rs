//! Suggestions for paths that do not exist.

use super::dependency_graph::Graph;
use crate::diagnostic::close_names;
use crate::types::id::NodeId;

impl Graph {
    /// Returns up to two nodes with a similar path (without `root/`), or else with a similar last part.
    #[doc(hidden)]
    pub fn close_ids(&self, path: &str) -> Vec<&NodeId> {
        let of = |part: fn(&NodeId) -> &str| {
            let ids = || self.nodes().map(|(_, node)| &node.id);
            let close = close_names(path, ids().map(part)).into_iter();
            close.filter_map(move |name| ids().find(|id| part(id) == name)).collect::<Vec<_>>()
        };
        let paths = of(NodeId::short);
        if paths.is_empty() { of(NodeId::name) } else { paths }
    }
}
