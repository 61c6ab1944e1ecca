//! What pictures of a graph have in common: nodes within the modules that hold them.

use super::{Edge, Graph, NodeIndex};

/// One line of a picture.
pub(super) struct Step<'a> {
    /// How many modules are around it.
    pub(super) depth: usize,
    /// The name to show: the last part of the id.
    pub(super) name: &'a str,
    pub(super) scope: Scope<'a>,
}

pub(super) enum Scope<'a> {
    /// A module of this id begins.
    Open(&'a str),
    /// The module ends.
    Close,
    /// A resource.
    Node(NodeIndex),
}

/// The nodes in the order of their ids, with the modules around them opened and closed.
///
/// Ids are compared byte by byte, so the resources of a module may have others between them; they
/// are drawn together all the same.
pub(super) fn steps(graph: &Graph) -> Vec<Step<'_>> {
    let mut nodes: Vec<(Vec<&str>, NodeIndex, &str)> =
        graph.nodes().map(|(index, node)| (node.id.parts().collect(), index, node.id.as_str())).collect();
    nodes.sort();
    let mut steps = Vec::with_capacity(nodes.len());
    let mut open: Vec<&str> = Vec::new();
    for (parts, index, id) in &nodes {
        // The first part is the root, which has no box.
        let (Some(name), Some(modules)) = (parts.last(), parts.get(1..parts.len().saturating_sub(1))) else {
            continue;
        };
        let common = open.iter().zip(modules).take_while(|(a, b)| a == b).count();
        while open.len() > common {
            open.pop();
            steps.push(Step { depth: open.len(), name: "", scope: Scope::Close });
        }
        for (at, module) in modules.iter().enumerate().skip(common) {
            let end = parts.iter().take(at + 2).map(|part| part.len() + 1).sum::<usize>() - 1;
            steps.push(Step { depth: at, name: module, scope: Scope::Open(&id[..end]) });
            open.push(module);
        }
        steps.push(Step { depth: open.len(), name, scope: Scope::Node(*index) });
    }
    while open.pop().is_some() {
        steps.push(Step { depth: open.len(), name: "", scope: Scope::Close });
    }
    steps
}

/// The reasons of edges to one node, each once.
pub(super) fn reasons(edges: &[Edge]) -> String {
    edges.iter().map(|edge| edge.reason.to_string()).collect::<Vec<_>>().join(", ")
}
