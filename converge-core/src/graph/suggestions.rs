//! What could be meant by a path that nothing has.

use super::dependency_graph::Graph;
use crate::diagnostic::close_names;
use crate::types::id::NodeId;

impl Graph {
    /// At most two nodes: those with paths, without `root/`, like this one, else those whose last part is like it.
    pub(crate) fn close_ids(&self, path: &str) -> Vec<&NodeId> {
        let of = |part: fn(&NodeId) -> &str| {
            let ids = || self.nodes().map(|(_, node)| &node.id);
            let close = close_names(path, ids().map(part)).into_iter();
            close.filter_map(move |name| ids().find(|id| part(id) == name)).collect::<Vec<_>>()
        };
        let paths = of(NodeId::short);
        if paths.is_empty() { of(NodeId::name) } else { paths }
    }
}
