//! The outputs of the root module at the end of a run.

use crate::events::output::{OutputReport, OutputValue};
use crate::graph::OUTPUT;
use crate::graph::{NodeId, Role};
use crate::tables::run_tables::Shared;

/// Returns the outputs of the root module that a run covered, sorted by name.
pub(crate) fn outputs(shared: &Shared) -> Vec<OutputReport> {
    let (graph, redactor) = (&shared.graph, shared.redactor());
    let prefix = format!("{}/{OUTPUT}.", NodeId::root());
    let declared = graph.with_prefix(&prefix).filter(|(index, node)| {
        node.role == Role::Output && node.scope.container.is_root() && shared.works_on(*index)
    });
    let reports = declared.map(|(index, node)| {
        let value = shared.exports(index).and_then(|exports| exports.get(&["val"]));
        OutputReport {
            name: node.id.name().trim_start_matches(OUTPUT).trim_start_matches('.').to_owned(),
            description: node.description().map(str::to_owned),
            value: value.map_or(OutputValue::Missing, |value| OutputValue::new(value, redactor)),
        }
    });
    reports.collect()
}
