//! Circles of nodes that wait for each other.

use crate::graph::{Graph, NodeIndex, Role};
use crate::load::error::{CycleStep, LinkError};
use crate::report::Diagnostics;

/// Reports one circle of each set of nodes that wait for each other.
pub(super) fn report(graph: &Graph, diagnostics: &mut Diagnostics) {
    for cycle in graph.cycles() {
        let steps = cycle.steps.iter().map(|(from, edge)| CycleStep {
            from: name(graph, *from),
            role: graph.node(*from).role,
            to: name(graph, edge.on),
            reason: edge.reason,
            span: edge.span.or(graph.node(*from).span),
        });
        diagnostics.push(LinkError::Cycle { steps: steps.collect() }.into());
    }
}

/// The beginning and the end of a module are the module to who reads about them.
fn name(graph: &Graph, index: NodeIndex) -> String {
    let node = graph.node(index);
    match node.id.parent() {
        Some(module) if node.role == Role::Begin => module.short().to_owned(),
        _ => node.id.short().to_owned(),
    }
}
