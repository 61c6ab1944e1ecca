//! Everything that a graph holds and that is not a plain value, evaluated once as far as it is known: what is
//! wrong then is found before anything runs.
//!
//! What is behind a gate that is known to be closed is not checked, as it will not be at run: that would be to refuse
//! what works.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use super::attempt::Attempt;
use super::evaluation::Constants;
use super::fields::{NodeFields, Together};
use super::reachability::{Reachability, Truth};
use super::reporter::Reporter;
use crate::diagnostic::Diagnostics;
use crate::graph::{Graph, KnownText, Node, NodeIndex, Role};
use crate::load::footprint::{Condition, Footprints, takes_turns};
use crate::types::value::Value;

/// Evaluates the inputs of all nodes that may be handled, and reports what is wrong with them.
///
/// What cannot be known yet is not checked, and neither is what is behind a gate that is known to be closed. The
/// graph is linked: names that lead nowhere have been reported.
///
/// Gives what was found out of what may be handled.
pub(crate) fn check(constants: &Constants, graph: &Graph, diagnostics: &mut Diagnostics) -> Found {
    constants.settle_all(graph.sources());
    diagnostics.extend(constants.take_too_much());
    if diagnostics.is_empty()
        && let Some(found) = check_halves(constants, graph)
    {
        return found;
    }
    let part = Part { constants, graph, nodes: 0..graph.len(), together: Together::new(constants) };
    part.check(&mut Reporter::new(diagnostics))
}

/// As [`check`], by two threads, of a large graph without gates: these decide for what is behind them. Where there is anything to
/// say, one thread goes through all nodes, so that what is said, and its order, has one source.
fn check_halves(constants: &Constants, graph: &Graph) -> Option<Found> {
    /// What is smaller is checked before another thread has begun.
    const LARGE: usize = 1000;
    if graph.len() < LARGE || graph.nodes().any(|(_, node)| node.role.is_gate()) {
        return None;
    }
    let attempts = [constants.attempt(), constants.attempt()];
    let check = |nodes: Range<usize>, attempt: &Attempt| {
        let together = Together::attempted(constants, attempt);
        let mut diagnostics = Diagnostics::new();
        let found = Part { constants, graph, nodes, together }.check(&mut Reporter::new(&mut diagnostics));
        (diagnostics.is_empty() && attempt.is_clean()).then_some(found)
    };
    let [first, second] = &attempts;
    let half = graph.len() / 2;
    let (mut found, rest) = thread::scope(|scope| {
        let thread = thread::Builder::new().name("converge-load".to_owned());
        // Where no thread can be had, there is one that checks it all.
        let rest = thread.spawn_scoped(scope, || check(half..graph.len(), second)).ok()?;
        let (found, rest) = (check(0..half, first), rest.join());
        // What panicked there does so here, too, when one thread checks it all.
        Some((found?, rest.ok()??))
    })?;
    if !constants.take_over(&attempts) {
        return None;
    }
    found.footprints.append(rest.footprints);
    found.texts.extend(rest.texts);
    Some(found)
}

/// Some of the nodes of a graph.
struct Part<'a> {
    constants: &'a Constants,
    graph: &'a Graph,
    nodes: Range<usize>,
    together: Together<'a>,
}

impl Part<'_> {
    fn check(self, report: &mut Reporter<'_>) -> Found {
        let Self { constants, graph, nodes, together } = self;
        let mut reachability = Reachability::default();
        let mut footprints = Footprints::with_capacity(nodes.len());
        let mut texts = Vec::with_capacity(nodes.len());
        for (index, node) in graph.nodes().skip(nodes.start).take(nodes.len()) {
            // It has been told where there was too much to do.
            if constants.is_exhausted() || together.is_spoilt() {
                break;
            }
            let mut when = |gate| NodeFields::new(constants, graph, graph.node(gate)).when(report);
            if node.role.is_gate() {
                reachability.settle(graph, index, &mut when);
                continue;
            }
            let reached = reachability.reaches(graph, index, &mut when);
            if reached == Truth::False || node.role.is_structure() && !has_when(node) {
                continue;
            }
            let fields = NodeFields::new(constants, graph, node).among(&together);
            let own = fields.when(report);
            match (own, node.role) {
                (Truth::False, _) => {}
                (_, Role::Param | Role::Output) => fields.check_param(report),
                (_, Role::Resource) => {
                    fields.check(report);
                    // What is shared stays as it is.
                    if Arc::strong_count(&node.attributes) == 1 {
                        let known = fields.known_texts();
                        texts.extend(known.map(|(field, text)| KnownText { node: index, field, text }));
                    }
                    let copy = if node.may_be_copy() { fields.copy_key() } else { None };
                    if node.resource.has_footprint() || copy.is_some() {
                        let condition = Condition {
                            gate: graph.gate(index).filter(|_| reached != Truth::True),
                            own: own != Truth::True,
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

/// What is known of the nodes of a graph, sorted by node.
pub(crate) struct Found {
    pub(crate) footprints: Footprints,
    /// Of templates that are the same in every run.
    pub(crate) texts: Vec<KnownText>,
}

fn has_when(node: &Node) -> bool {
    node.meta.as_ref().is_some_and(|meta| meta.when.is_some())
}

/// The value of one field of a node, when all of it is known.
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

/// Whether two nodes have the same values, as far as these are known. Of one that is not known, that is not known.
pub(crate) fn have_same_values(constants: &Constants, graph: &Graph, nodes: [NodeIndex; 2]) -> bool {
    let [a, b] = nodes.map(|index| NodeFields::new(constants, graph, graph.node(index)));
    a.written().zip(b.written()).all(|((attribute, field), (other, _))| {
        let [a, b] = [(&a, attribute), (&b, other)].map(|(fields, attribute)| fields.value(attribute, field));
        a == b && a.is_some_and(|value| value.find_unknown().is_none())
    })
}
