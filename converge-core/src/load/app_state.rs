//! Resource types that need state of the application.

use std::collections::HashSet;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::graph::Graph;
use crate::sdk::app_state::AppState;

/// What the resources of a graph need, and `state` does not have: one diagnostic for each type of resource and each type of
/// state, at the first resource. That a program lacks it is one mistake, however many resources there are.
///
/// Resources that may not be taken count: what a program has does not depend on a module's parameters.
pub(crate) fn missing_state(graph: &Graph, state: &AppState) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for node in graph.declared() {
        let resource = &node.resource;
        if resource.needs().is_empty() || !seen.insert(Arc::as_ptr(resource)) {
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
            found.push(diagnostic.help(missing.help()));
        }
    }
    found
}
