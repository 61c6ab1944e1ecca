//! Suggestions for paths that do not exist.

use super::dependency_graph::Graph;
use crate::diagnostic::close_names;
use crate::types::id::NodeId;

impl Graph {
    /// Returns up to two nodes with a similar path (without `root/`), or else with a similar last part.
    #[doc(hidden)]
    pub fn close_ids(&self, path: &str) -> Vec<&NodeId> {
        let ids_close_to = |text_of: fn(&NodeId) -> &str| {
            let ids = || self.nodes().map(|(_, node)| &node.id);
            let close = close_names(path, ids().map(text_of)).into_iter();
            close.filter_map(move |name| ids().find(|id| text_of(id) == name)).collect::<Vec<_>>()
        };
        let paths = ids_close_to(NodeId::short);
        if paths.is_empty() { ids_close_to(NodeId::name) } else { paths }
    }
}
