//! Evaluation of every computed input of a graph as far as it is known.
//!
//! This finds errors before a run. Nodes behind a gate that is known to be closed are not checked, because
//! they will not run. Checking them would refuse modules that work.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use super::attempt::Attempt;
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
    if diagnostics.is_empty()
        && let Some(result) = check_on_two_threads(constants, graph)
    {
        return result;
    }
    let part = Part { constants, graph, nodes: 0..graph.len(), together: SharedState::new(constants) };
    part.check(&mut Reporter::new(diagnostics))
}

/// Checks a large graph without gates on two threads.
///
/// Gates decide about nodes in both halves, so a graph with gates is not split. If there is any diagnostic,
/// the caller checks all nodes on one thread, so that the diagnostics and their order are always the same.
fn check_on_two_threads(constants: &Constants, graph: &Graph) -> Option<Found> {
    /// The minimum number of nodes for two threads; a smaller graph is checked before a thread has started.
    const LARGE: usize = 1000;
    if graph.len() < LARGE || graph.nodes().any(|(_, node)| node.role.is_gate()) {
        return None;
    }
    let attempts = [constants.attempt(), constants.attempt()];
    let check = |nodes: Range<usize>, attempt: &Attempt| {
        let together = SharedState::for_attempt(constants, attempt);
        let mut diagnostics = Diagnostics::new();
        let result = Part { constants, graph, nodes, together }.check(&mut Reporter::new(&mut diagnostics));
        (diagnostics.is_empty() && attempt.is_clean()).then_some(result)
    };
    let [first, second] = &attempts;
    let middle = graph.len() / 2;
    let (mut result, rest) = thread::scope(|scope| {
        let thread = thread::Builder::new().name("converge-load".to_owned());
        // If no thread can be started, the caller checks everything on one thread.
        let rest = thread.spawn_scoped(scope, || check(middle..graph.len(), second)).ok()?;
        let (result, rest) = (check(0..middle, first), rest.join());
        // If the thread panicked, the caller's check on one thread panics in the same way.
        Some((result?, rest.ok()??))
    })?;
    if !constants.accept_attempts(&attempts) {
        return None;
    }
    result.footprints.append(rest.footprints);
    result.texts.extend(rest.texts);
    Some(result)
}

/// A range of the nodes of a graph.
struct Part<'a> {
    constants: &'a Constants,
    graph: &'a Graph,
    nodes: Range<usize>,
    together: SharedState<'a>,
}

impl Part<'_> {
    fn check(self, report: &mut Reporter<'_>) -> Found {
        let Self { constants, graph, nodes, together } = self;
        let mut reachability = Reachability::default();
        let mut footprints = Footprints::with_capacity(nodes.len());
        let mut texts = Vec::with_capacity(nodes.len());
        for (index, node) in graph.nodes().skip(nodes.start).take(nodes.len()) {
            // The exceeded limit was already reported, or the attempt is invalid and its result does not
            // count.
            if constants.is_exhausted() || together.is_spoilt() {
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
