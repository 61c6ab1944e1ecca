//! Checks that the application provides the state that resource types need.

use std::collections::HashSet;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::graph::Graph;
use crate::sdk::app_state::AppState;

/// Reports the application state that resources of a graph need and that `state` lacks.
///
/// There is one diagnostic per resource type and state type, at the first such resource, however many there
/// are. Resources behind a closed gate count too: the program's state does not depend on parameters.
pub fn missing_state(graph: &Graph, state: &AppState) -> Vec<Diagnostic> {
    let mut visited = HashSet::new();
    let mut diagnostics = Vec::new();
    for node in graph.declared() {
        let resource = &node.resource;
        if resource.needs().is_empty() || !visited.insert(Arc::as_ptr(resource)) {
            continue;
        }
        for missing in resource.needs().iter().filter_map(|need| need.missing(state)) {
            let (kind, id) = (resource.name(), node.id.redacted(graph.sources().redactor()));
            let message = format!(
                "{}: `{kind}` needs state of type `{}`, which the program does not give",
                id.short(),
                missing.type_name
            );
            let diagnostic = Diagnostic::error("missing-state", message).label(node.span, "needed here");
            diagnostics.push(diagnostic.help(missing.help()));
        }
    }
    diagnostics
}
