//! Errors for unknown names, with suggestions of similar ones.

use crate::graph::OUTPUT;
use crate::graph::{Graph, NodeId};
use crate::types::scope::ScopeError;

/// The maximum number of names that an unknown name is compared with.
///
/// A module that computes names may make the same mistake in every resource.
const MAX_COMPARED: usize = 1000;

/// Returns the error for an unknown parameter or output of a module.
pub(super) fn no_value(graph: &Graph, module: &NodeId, kind: &str, name: &str) -> ScopeError {
    let prefix = format!("{module}/{kind}.");
    let nodes = graph.with_prefix(&prefix).take(MAX_COMPARED);
    ScopeError::not_found(
        if kind == OUTPUT { "output" } else { "parameter" },
        name,
        nodes.filter_map(|(_, node)| node.id.as_str().strip_prefix(&prefix)),
    )
}

/// Returns the error for an unknown path, with suggestions that are visible from `container`.
///
/// The suggestions end with the same fields as the path.
pub(super) fn no_resource(graph: &Graph, container: &NodeId, path: &str) -> ScopeError {
    let segments: Vec<&str> = path.split('.').collect();
    let mut names = Vec::new();
    let mut enclosing = Some(container.clone());
    while let Some(current) = enclosing {
        let prefix = format!("{current}/");
        for (_, node) in graph.with_prefix(&prefix).take(MAX_COMPARED) {
            let inner = node.id.as_str().strip_prefix(&prefix);
            let Some(name) = inner.filter(|name| !name.contains('/') && !node.role.is_structure()) else {
                continue;
            };
            let rest = segments.get(name.split('.').count()..).unwrap_or_default();
            names.push(if rest.is_empty() { name.to_owned() } else { format!("{name}.{}", rest.join(".")) });
        }
        enclosing = current.parent();
    }
    ScopeError::not_found("resource", path, names.iter().map(String::as_str))
}
