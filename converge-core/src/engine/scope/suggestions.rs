//! Errors that suggest names like one that does not exist.

use crate::graph::{Graph, NodeId};
use crate::load::output::OUTPUT;
use crate::types::scope::ScopeError;

/// With how many names one that is wrong is compared. It is a mistake of a module, but a module that computes names may
/// make it in every resource.
const COMPARED: usize = 1000;

/// A parameter or an output of a module, which is of this kind.
pub(super) fn no_value(graph: &Graph, module: &NodeId, kind: &str, name: &str) -> ScopeError {
    let prefix = format!("{module}/{kind}.");
    let nodes = graph.with_prefix(&prefix).take(COMPARED);
    ScopeError::not_found(
        if kind == OUTPUT { "output" } else { "parameter" },
        name,
        nodes.filter_map(|(_, node)| node.id.as_str().strip_prefix(&prefix)),
    )
}

/// The path may have meant resources that can be seen from `container`, with the same rest of the path.
pub(super) fn no_resource(graph: &Graph, container: &NodeId, path: &str) -> ScopeError {
    let given: Vec<&str> = path.split('.').collect();
    let mut known = Vec::new();
    let mut around = Some(container.clone());
    while let Some(at) = around {
        let prefix = format!("{at}/");
        for (_, node) in graph.with_prefix(&prefix).take(COMPARED) {
            let inner = node.id.as_str().strip_prefix(&prefix);
            let Some(name) = inner.filter(|name| !name.contains('/') && !node.role.is_structure()) else {
                continue;
            };
            let rest = given.get(name.split('.').count()..).unwrap_or_default();
            known.push(if rest.is_empty() { name.to_owned() } else { format!("{name}.{}", rest.join(".")) });
        }
        around = at.parent();
    }
    ScopeError::not_found("resource", path, known.iter().map(String::as_str))
}
