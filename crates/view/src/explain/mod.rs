//! Explanations of the level and the edges of a resource.
//!
//! [`explain`] combines the graph with the reports of a run. The graph knows where a resource is declared,
//! its dependencies and its conditions. The reports cover the resource and the resources around it.
//!
//! Spans show which reference made a value unknown: an edge belongs to a field if its reference is written
//! within the field.

mod find;
mod record;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use super::json::{self, PlaceRecord, ThingRecord};
use crate::diagnostic::Span;
use crate::graph::{Attribute, Edge, EdgeReason, Graph, Meta, Node, NodeId, NodeIndex, Role, predicate};
use crate::redact::Redactor;
use crate::sdk::status::DiffValue;
use converge_engine::{Difference, Outcome, ResourceReport};

pub use self::find::{FindError, find, find_id};
pub use self::record::{
    Cause, Dependent, Explanation, FailureRecord, GateRecord, LeftOut, MetaRecord, RetryRecord, Verdict,
    Wait, WhenRecord,
};

/// The report of a run about each resource.
pub type Reports = BTreeMap<NodeId, ResourceReport>;

/// Explains one node of a graph with the reports of a run.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
/// use converge_core::view::explain::{Reports, explain, find};
///
/// let registry = Registry::new();
/// let text = "param \"a\" { default = \"{{param `b`}}\" }\nparam \"b\" { default = 1 }\n";
/// let graph = Loader::new(&registry).load_text("web.hcl", text).into_graph()?;
/// let reports = Reports::new();
/// let explanation = explain(&graph, find(&graph, "param.a")?, &reports);
/// assert_eq!(explanation.waits_for[0].on.short(), "param.b");
/// assert_eq!(explanation.waits_for[0].place.as_ref().map(|place| place.line), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn explain<'a>(graph: &'a Graph, index: NodeIndex, reports: &'a Reports) -> Explanation<'a> {
    let node = graph.node(index);
    let explainer = Explainer { graph, reports, redactor: graph.sources().redactor() };
    let report = explainer.report(index);
    Explanation {
        id: explainer.id(index),
        resource_type: node.resource.name(),
        role: node.role,
        description: node.description().map(|text| explainer.redactor.redact(text)),
        module: &node.scope.module.source,
        place: explainer.place(node.span),
        outcome: report.map(|report| report.outcome),
        level: report.map(|report| report.level),
        causes: report.map_or_else(Vec::new, |report| explainer.causes(index, report)),
        messages: report.map_or(&[], |report| &report.messages),
        warnings: report.map_or(&[], |report| &report.warnings),
        failure: report.and_then(|report| report.failure.as_ref()).map(|failure| FailureRecord {
            stage: failure.stage,
            message: &failure.message,
            diagnostics: failure
                .diagnostics
                .iter()
                .map(|diagnostic| json::diagnostic(diagnostic, graph.sources()))
                .collect(),
        }),
        skipped: report.and_then(|report| report.skipped.as_ref()),
        pending: report.and_then(|report| report.pending.as_ref()),
        gates: explainer.gates(index, report),
        meta: explainer.meta(node),
        waits_for: graph.dependencies(index).iter().map(|edge| explainer.wait(index, edge)).collect(),
        left_out: graph
            .left_out(index)
            .map(|(on, thing)| LeftOut {
                on: explainer.id(on),
                thing: ThingRecord::new(thing, explainer.redactor),
            })
            .collect(),
        dependents: explainer.dependents(index),
    }
}

struct Explainer<'a> {
    graph: &'a Graph,
    reports: &'a Reports,
    redactor: &'a Redactor,
}

impl<'a> Explainer<'a> {
    /// Returns the id of a node as events show it, with secrets redacted.
    fn id(&self, index: NodeIndex) -> NodeId {
        self.graph.node(index).id.redacted(self.redactor)
    }

    fn report(&self, index: NodeIndex) -> Option<&'a ResourceReport> {
        self.reports.get(&self.id(index))
    }

    fn place(&self, span: Option<Span>) -> Option<PlaceRecord<'a>> {
        span.and_then(|span| PlaceRecord::resolve(span, self.graph.sources()))
    }

    fn outcome(&self, index: NodeIndex) -> Option<Outcome> {
        self.report(index).map(|report| report.outcome)
    }

    fn wait(&self, from: NodeIndex, edge: &Edge) -> Wait<'a> {
        let is_automatic = edge.reason == EdgeReason::Footprint;
        let thing = self.graph.reason_of(from, edge.on).filter(|_| is_automatic);
        Wait {
            thing: thing.map(|thing| ThingRecord::new(thing, self.redactor)),
            on: self.id(edge.on),
            reason: edge.reason,
            place: self.place(edge.span),
            outcome: self.outcome(edge.on),
        }
    }

    /// Returns each difference with its field, and the references that make its value unknown.
    fn causes(&self, index: NodeIndex, report: &'a ResourceReport) -> Vec<Cause<'a>> {
        let node = self.graph.node(index);
        let cause = |difference: &'a Difference| {
            let fields = &node.resource.schema().fields;
            let is_of =
                |attribute: &&Attribute| Some(fields[attribute.field].name) == difference.field.as_deref();
            let attribute = node.attributes.iter().find(is_of);
            let input_span = attribute.and_then(|attribute| attribute.input.span);
            let waits = match input_span {
                Some(input_span) if difference.after == DiffValue::Unknown => {
                    self.pending_in(index, input_span)
                }
                _ => Vec::new(),
            };
            let place = attribute.and_then(|attribute| attribute.name_span).or(input_span).or(node.span);
            Cause { difference, written: attribute.is_some(), place: self.place(place), through: waits }
        };
        report.differences.iter().map(cause).collect()
    }

    /// Returns the references within a text to nodes that have not been applied yet.
    fn pending_in(&self, index: NodeIndex, input_span: Span) -> Vec<Wait<'a>> {
        let edges = self.graph.dependencies(index).iter();
        let inside = edges.filter(|edge| edge.span.is_some_and(|span| contains(input_span, span)));
        let pending = inside.filter(|edge| {
            matches!(self.outcome(edge.on), Some(outcome) if outcome != Outcome::Unchanged)
                || self.hands_on_pending(edge.on)
        });
        pending.map(|edge| self.wait(index, edge)).collect()
    }

    /// Whether the node waits for a node that has not been applied yet, directly or indirectly.
    ///
    /// Parameters and end nodes have no reports, but pass on the values of others.
    fn hands_on_pending(&self, index: NodeIndex) -> bool {
        let mut seen = HashSet::from([index]);
        let mut open = vec![index];
        while let Some(current) = open.pop() {
            for edge in self.graph.dependencies(current).iter().filter(|edge| seen.insert(edge.on)) {
                match self.outcome(edge.on) {
                    Some(Outcome::WillChange | Outcome::MayChange) => return true,
                    None if !self.graph.node(edge.on).role.is_resource() => open.push(edge.on),
                    _ => {}
                }
            }
        }
        false
    }

    /// Returns the gates in front of a node, the closest first. A gate starts with itself.
    fn gates(&self, index: NodeIndex, report: Option<&'a ResourceReport>) -> Vec<GateRecord<'a>> {
        let mut gates = Vec::new();
        let mut next =
            if self.graph.node(index).role.is_gate() { Some(index) } else { self.graph.gate(index) };
        while let Some(current) = next {
            let gate = self.graph.node(current);
            let condition = gate.meta.as_ref().and_then(|meta| meta.when.as_ref());
            gates.push(GateRecord {
                id: self.id(current),
                called: self.redactor.redact(&self.graph.called(current)).into_owned(),
                place: self.place(gate.span),
                predicate: condition.map(|condition| predicate(self.graph, condition)),
                verdict: self.verdict(current, report.or_else(|| self.report_behind(current))),
            });
            next = self.graph.gate(current);
        }
        // If an outer gate is not open, the gates within it were not evaluated.
        let is_shut = |gate: &GateRecord<'_>| {
            matches!(gate.verdict, Verdict::NotTaken { .. } | Verdict::Undecided { .. })
        };
        if let Some(first_shut) = gates.iter().position(is_shut) {
            gates.iter_mut().take(first_shut).for_each(|gate| gate.verdict = Verdict::NotAsked);
        }
        gates
    }

    /// Returns a report of a node behind a gate, because gates have no reports of their own.
    fn report_behind(&self, gate: NodeIndex) -> Option<&'a ResourceReport> {
        let behind =
            self.graph.dependents(gate).iter().filter(|index| self.graph.gate(**index) == Some(gate));
        behind.copied().find_map(|index| self.report(index))
    }

    fn verdict(&self, gate: NodeIndex, report: Option<&'a ResourceReport>) -> Verdict<'a> {
        let Some(report) = report else { return Verdict::NotAsked };
        match (&report.skipped, report.outcome) {
            (Some(skipped), Outcome::NotTaken) if self.decides(&skipped.cause, gate) => {
                Verdict::NotTaken { reason: &skipped.reason }
            }
            (_, Outcome::Skipped | Outcome::NotRun) => Verdict::NotAsked,
            (Some(skipped), Outcome::MayChange) if self.is_open(&skipped.cause, gate) => {
                Verdict::Undecided { reason: &skipped.reason }
            }
            _ => Verdict::Taken,
        }
    }

    /// Whether a gate is undecided because of `cause`, which is the gate itself or an earlier case.
    fn is_open(&self, cause: &NodeId, gate: NodeIndex) -> bool {
        let mut cases = std::iter::successors(Some(gate), |case| self.graph.case_before(*case));
        cases.any(|case| self.decides(cause, case))
    }

    /// Whether people see `cause` as this gate; for a module call, `cause` is the module.
    fn decides(&self, cause: &NodeId, gate: NodeIndex) -> bool {
        let id = self.id(gate);
        *cause == id || self.graph.node(gate).role == Role::Begin && Some(cause) == id.parent().as_ref()
    }

    fn meta(&self, node: &'a Node) -> MetaRecord<'a> {
        let meta = node.meta.as_deref();
        // The condition of a gate is shown with its verdict.
        let condition = meta.and_then(|meta: &Meta| meta.when.as_ref()).filter(|_| !node.role.is_gate());
        MetaRecord {
            group: node.group.as_deref().map(|group| self.redactor.redact(group)),
            when: condition.map(|condition| WhenRecord {
                predicate: predicate(self.graph, condition),
                place: self.place(condition.span),
            }),
            timeout_seconds: meta.and_then(|meta| meta.timeout).map(|timeout| timeout.as_secs_f64()),
            retry: meta.and_then(|meta| meta.retry).map(|retry| RetryRecord {
                attempts: retry.attempts,
                delay_seconds: retry.delay.as_secs_f64(),
                backoff: retry.backoff,
            }),
        }
    }

    fn dependents(&self, index: NodeIndex) -> Vec<Dependent> {
        let dependents = self.graph.dependents(index).iter();
        let dependent = |&at: &NodeIndex| {
            let edges = self.graph.dependencies(at).iter();
            let reasons: Vec<EdgeReason> =
                edges.filter(|edge| edge.on == index).map(|edge| edge.reason).collect();
            Dependent { id: self.id(at), reasons, outcome: self.outcome(at) }
        };
        dependents.map(dependent).collect()
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
