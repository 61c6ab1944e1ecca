//! The last step of a load: what is known of all nodes together.

use super::constants::{self, Constants, Found};
use super::footprint::{self, AutomaticEdges, KnownValues};
use super::secrets;
use crate::diagnostic::Diagnostics;
use crate::graph::Graph;

/// Checks what a linked graph holds, adds the edges that follow from what its resources are about, and hides its secrets.
pub(super) fn complete(
    graph: &mut Graph,
    constants: &Constants,
    automatic: AutomaticEdges,
    diagnostics: &mut Diagnostics,
) {
    let Found { footprints, texts } = constants::check(constants, graph, diagnostics);
    if constants.is_stopped() {
        return;
    }
    graph.keep_known(texts);
    let have_same_values = |graph: &Graph, nodes| constants::have_same_values(constants, graph, nodes);
    let known_value =
        |graph: &Graph, node, field: &str| constants::known_value(constants, graph, node, field);
    let values = KnownValues { same: &have_same_values, of_field: &known_value };
    footprint::connect(graph, &footprints, automatic, &values, diagnostics);
    secrets::hide_known(constants, graph, diagnostics);
    diagnostics.redact(graph.sources().redactor());
}
