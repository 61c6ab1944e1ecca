//! Evaluation of every computed input of a graph as far as it is known.
//!
//! This finds errors before a run. Nodes behind a gate that is known to be closed are not checked, because
//! they will not run. Checking them would refuse modules that work.

use std::sync::Arc;

use super::evaluation::Constants;
use super::fields::{NodeFields, SharedState};
use super::reachability::{Reachability, Truth};
use super::reporter::Reporter;
use crate::diagnostic::Diagnostics;
use crate::graph::{Graph, KnownText, Node, NodeIndex, Role};
use converge_graph::footprint::{Condition, Footprints, takes_turns};
use converge_value::types::value::Value;

/// Evaluates the inputs of all nodes that may be handled, and reports errors.
///
/// Values that are still unknown and nodes behind closed gates are not checked. The graph must be linked, so
/// that unresolved names have been reported. Returns the footprints and known texts of the nodes that may be
/// handled.
pub(crate) fn check(constants: &Constants, graph: &Graph, diagnostics: &mut Diagnostics) -> Found {
    constants.evaluate_all(graph.sources());
    diagnostics.extend(constants.take_limit_error());
    let (together, report) = (SharedState::new(constants), &mut Reporter::new(diagnostics));
    let mut reachability = Reachability::default();
    let mut footprints = Footprints::with_capacity(graph.len());
    let mut texts = Vec::with_capacity(graph.len());
    for (index, node) in graph.nodes() {
        // The exceeded limit was already reported.
        if constants.is_exhausted() {
            break;
        }
        let mut condition_of = |gate| NodeFields::new(constants, graph, graph.node(gate)).when(report);
        if node.role.is_gate() {
            reachability.settle(graph, index, &mut condition_of);
            continue;
        }
        let reached = reachability.reaches(graph, index, &mut condition_of);
        if reached == Truth::False || node.role.is_structure() && !has_when(node) {
            continue;
        }
        let fields = NodeFields::new(constants, graph, node).among(&together);
        let own_condition = fields.when(report);
        match (own_condition, node.role) {
            (Truth::False, _) => {}
            (_, Role::Param | Role::Output) => fields.check_param(report),
            (_, Role::Resource) => {
                fields.check(report);
                // Shared attributes are not replaced by their known texts.
                if Arc::strong_count(&node.attributes) == 1 {
                    let known_texts = fields.known_texts();
                    texts.extend(known_texts.map(|(field, text)| KnownText { node: index, field, text }));
                }
                let copy = if node.may_be_copy() { fields.copy_key() } else { None };
                if node.resource.has_footprint() || copy.is_some() {
                    let condition = Condition {
                        gate: graph.gate(index).filter(|_| reached != Truth::True),
                        own: own_condition != Truth::True,
                    };
                    let footprint = fields.footprint();
                    if footprint.partial && takes_turns(node) {
                        footprints.push_assumed(index, fields.assuming().footprint());
                    }
                    footprints.push(index, footprint, condition);
                    if let Some(copy) = copy {
                        footprints.push_copy(index, copy);
                    }
                }
            }
            _ => {}
        }
    }
    Found { footprints, texts }
}

/// Facts found about the nodes of a graph, sorted by node.
pub(crate) struct Found {
    pub(crate) footprints: Footprints,
    /// The results of templates that are the same in every run.
    pub(crate) texts: Vec<KnownText>,
}

fn has_when(node: &Node) -> bool {
    node.meta.as_ref().is_some_and(|meta| meta.when.is_some())
}

/// Returns the value of a field of a node if it is completely known.
pub(crate) fn known_value(
    constants: &Constants,
    graph: &Graph,
    node: NodeIndex,
    name: &str,
) -> Option<Value> {
    let node = graph.node(node);
    let fields = NodeFields::new(constants, graph, node);
    let value = match fields.written().find(|(_, field)| field.name == name) {
        Some((attribute, field)) => fields.value(attribute, field),
        None => node.resource.schema().field(name).and_then(|(_, field)| field.default.clone()),
    };
    value.filter(|value| value.find_unknown().is_none())
}

/// Returns whether two nodes have equal values; unknown values count as different.
pub(crate) fn have_same_values(constants: &Constants, graph: &Graph, nodes: [NodeIndex; 2]) -> bool {
    let [a, b] = nodes.map(|index| NodeFields::new(constants, graph, graph.node(index)));
    a.written().zip(b.written()).all(|((attribute, field), (other, _))| {
        let [a, b] = [(&a, attribute), (&b, other)].map(|(fields, attribute)| fields.value(attribute, field));
        a == b && a.is_some_and(|value| value.find_unknown().is_none())
    })
}
