//! Diagnostics for cycles of nodes that wait for each other.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::graph::{Edge, EdgeReason, Graph, NodeIndex, Role};

/// The maximum number of shown steps of a cycle.
const SHOWN: usize = 24;

/// Reports one cycle of each set of nodes that wait for each other.
pub(super) fn report(graph: &Graph, diagnostics: &mut Diagnostics) {
    diagnostics.extend(graph.cycles().iter().map(|cycle| diagnostic(graph, &cycle.steps)));
}

fn diagnostic(graph: &Graph, steps: &[(NodeIndex, Edge)]) -> Diagnostic {
    let mut names: Vec<&str> = steps.iter().chain(steps.first()).map(|(at, _)| name(graph, *at)).collect();
    // The gate and the end node of a module have the same name.
    names.dedup();
    let message = match names.as_slice() {
        [own] | [own, _] => format!("`{own}` waits for itself"),
        names if names.len() > SHOWN => {
            let (first, last) = (names[..SHOWN - 1].join(" -> "), names.last().unwrap_or(&""));
            let left = names.len() - SHOWN;
            format!("resources wait for each other: {first} -> ({left} more) -> {last}")
        }
        names => format!("resources wait for each other: {}", names.join(" -> ")),
    };
    // Written references come first because the author can change them.
    let (structure, explicit): (Vec<_>, Vec<_>) =
        steps.iter().copied().partition(|(_, edge)| edge.reason.is_structure());
    let help = if structure.is_empty() {
        "remove one of these steps"
    } else {
        "what is in a module, a switch or a `for_each` cannot wait for all of it: remove one of the names that \
         make these wait"
    };
    let error = Diagnostic::error("cycle", message).help(help);
    explicit.into_iter().chain(structure).take(SHOWN).fold(error, |error, (from, edge)| {
        error.label(edge.span.or(graph.node(from).span), text(graph, from, edge))
    })
}

fn text(graph: &Graph, index: NodeIndex, edge: Edge) -> String {
    let (from, to) = (name(graph, index), name(graph, edge.on));
    match edge.reason {
        EdgeReason::Depends => format!("`{from}` depends on `{to}`"),
        EdgeReason::EvenAfter => format!("`{from}` comes after `{to}`"),
        EdgeReason::Param => format!("`{from}` uses `{to}`"),
        EdgeReason::Lookup => format!("`{from}` looks up `{to}`"),
        EdgeReason::OnChange => format!("`{from}` is refreshed after `{to}`"),
        EdgeReason::Switch if graph.node(index).role == Role::Case => {
            format!("`{from}` comes after `{to}`")
        }
        EdgeReason::Module | EdgeReason::Switch | EdgeReason::ForEach => {
            format!("`{from}` is done when `{to}` is")
        }
        EdgeReason::Gate => format!("`{from}` is in `{to}`"),
        // Derived edges are dropped where they would make a cycle, so these reasons do not occur.
        EdgeReason::Copy => format!("`{from}` is a copy of `{to}`"),
        EdgeReason::Footprint => format!("`{from}` works with what `{to}` makes"),
    }
}

/// Returns the name of a node; the gate of a module is shown as the module.
fn name(graph: &Graph, index: NodeIndex) -> &str {
    let node = graph.node(index);
    match node.role {
        Role::Begin => node.id.scope().trim_start_matches("root/"),
        _ => node.id.short(),
    }
}
