//! The final step of a load, which needs all nodes together.

use std::sync::Arc;

use super::link;
use crate::analysis::constants::{self, Constants, Found};
use crate::analysis::secrets;
use crate::diagnostic::Diagnostics;
use crate::footprint::{self, AutomaticEdges, KnownValues};
use crate::graph::{Graph, Patterns};

/// Completes a linked graph.
///
/// Checks constant values, adds the edges derived from footprints, hides secrets, and removes the patterns of
/// instances that only a run can create.
pub(super) fn complete(
    graph: &mut Graph,
    constants: &Constants,
    automatic: AutomaticEdges,
    diagnostics: &mut Diagnostics,
) {
    let Found { mut footprints, texts } = constants::check(constants, graph, diagnostics);
    if constants.is_stopped() {
        return;
    }
    graph.keep_known(texts);
    let patterns = Patterns::from_graph(graph);
    footprints.in_patterns(&patterns);
    let paths = graph.nodes().next().map(|(_, node)| Arc::clone(&node.scope.module.paths));
    footprints.canonicalize(&paths.unwrap_or_default());
    let have_same_values = |graph: &Graph, nodes| constants::have_same_values(constants, graph, nodes);
    let known_value =
        |graph: &Graph, node, field: &str| constants::known_value(constants, graph, node, field);
    let values = KnownValues { same: &have_same_values, of_field: &known_value };
    let mut follows = footprint::find(graph, &footprints, automatic, &values, diagnostics);
    secrets::hide_known(constants, graph, diagnostics);
    if !patterns.is_empty() {
        let is_ordered = graph.cycles().is_empty();
        let collapsed = graph.collapse(&patterns);
        footprints.collapse(&patterns, &collapsed);
        if let Some(follows) = &mut follows {
            follows.collapse(&patterns, &collapsed);
        }
        // Collapsing instances merges their dependencies, which may create new cycles.
        if is_ordered {
            link::report_cycles(graph, diagnostics);
            follows = follows.filter(|_| graph.cycles().is_empty());
        }
    }
    if let Some(follows) = follows {
        footprint::connect(graph, &footprints, follows, automatic);
    }
    diagnostics.redact(graph.sources().redactor());
}
