//! A plan seen as health: what is as declared is healthy, what an apply would change is a warning, and what cannot be
//! checked is an error.
//!
//! Health is a view of a plan and no second interface of resources, as it was in the original. What was skipped is as
//! healthy as its cause, so a warning stays one however much depends on it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::explain::Reports;
use crate::engine::{Outcome, ResourceReport};
use crate::graph::{Graph, NodeIndex, Role};
use crate::sdk::health::Health;
use crate::types::id::NodeId;

/// How healthy one resource is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Assessment<'a> {
    /// The resource.
    pub id: &'a NodeId,
    /// In one word.
    pub health: Health,
    /// What a plan said of it.
    #[serde(skip)]
    pub report: &'a ResourceReport,
    /// The resources that it waits for and that are not healthy, the nearest ones, sorted by id. Of a healthy resource none
    /// are named, as it is as declared all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Failing<'a>>,
}

impl<'a> Assessment<'a> {
    /// One that names no failing dependencies.
    pub fn new(id: &'a NodeId, health: Health, report: &'a ResourceReport) -> Self {
        Self { id, health, report, failing: Vec::new() }
    }
}

/// Something that a resource waits for and that is not healthy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Failing<'a> {
    /// The resource, or the part of the structure of which cannot be decided whether it is taken.
    pub id: &'a NodeId,
    /// How healthy it is.
    pub health: Health,
}

/// Tells how healthy each resource of a graph is by the reports of a plan, sorted by id. The graph is that of the
/// [run](crate::engine::Run::with_graph), which has the instances that only the plan could find.
///
/// - What is unchanged is healthy; with warnings it is a warning.
/// - What will or may change is a warning.
/// - What failed is an error, or where it is optional a warning. What was not reported on, as when the plan was interrupted, is an
///   error, too.
/// - What was skipped because something that it depends on failed is as healthy as that is.
/// - Where the check itself says how healthy its resource is ([`Status::set_health`](crate::Status::set_health)), that counts.
///
/// Left out is what the module does not take, and parameters in which nothing is wrong: they say nothing about the machine.
///
/// ```
/// use converge_core::engine::{Outcome, ResourceReport};
/// use converge_core::load::Loader;
/// use converge_core::view::explain::Reports;
/// use converge_core::view::health::assess;
/// use converge_core::{Health, Registry};
///
/// let registry = Registry::new();
/// let graph = Loader::new(&registry).load_text("web.hcl", "param \"a\" { default = 1 }").into_graph()?;
/// let (_, node) = graph.nodes().next().ok_or("there is one")?;
/// let reports = Reports::from([(node.id.clone(), ResourceReport::new(node.id.clone(), Outcome::Failed))]);
/// assert_eq!(assess(&graph, &reports)[0].health, Health::Error);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assess<'a>(graph: &'a Graph, reports: &'a Reports) -> Vec<Assessment<'a>> {
    let mut known: BTreeMap<NodeIndex, (Health, &ResourceReport)> = BTreeMap::new();
    let redactor = graph.sources().redactor();
    for (index, node) in graph.nodes() {
        if let Some(report) = reports.get(&node.id.redacted(redactor))
            && let Some(health) = health(report, reports)
        {
            known.insert(index, (health, report));
        }
    }
    let unhealthy = |index: NodeIndex| {
        let (health, report) = *known.get(&index).filter(|known| known.0 > Health::Healthy)?;
        Some(Failing { id: &report.id, health })
    };
    let assess = |(&index, &(health, report)): (&NodeIndex, &(Health, &'a ResourceReport))| {
        let failing = match health {
            Health::Healthy => Vec::new(),
            _ => failing(graph, index, &unhealthy),
        };
        // The id of a report may be shown.
        Assessment { failing, ..Assessment::new(&report.id, health, report) }
    };
    let is_of_the_machine = |(index, (health, _)): &(&NodeIndex, &(Health, _))| {
        *health > Health::Healthy || graph.node(**index).role != Role::Param
    };
    let mut all: Vec<Assessment<'_>> = known.iter().filter(is_of_the_machine).map(assess).collect();
    // What the run has added comes last in its graph.
    all.sort_by(|a, b| a.id.cmp(b.id));
    all
}

/// `None` of what the module does not take.
fn health(report: &ResourceReport, reports: &Reports) -> Option<Health> {
    if report.outcome == Outcome::NotTaken {
        return None;
    }
    if let Some(health) = report.health {
        return Some(health);
    }
    if report.is_forgiven() {
        return Some(Health::Warning);
    }
    Some(match report.outcome {
        Outcome::Unchanged | Outcome::Changed if report.warnings.is_empty() => Health::Healthy,
        Outcome::Unchanged | Outcome::Changed | Outcome::WillChange | Outcome::MayChange => Health::Warning,
        Outcome::Skipped => {
            let cause = report.skipped.as_ref().and_then(|skipped| reports.get(&skipped.cause));
            cause.and_then(|cause| cause.health).unwrap_or(Health::Error)
        }
        _ => Health::Error,
    })
}

/// The nearest nodes that a node waits for and that are not healthy. Parameters and structure have no health of their own, but
/// for those that failed.
fn failing<'a>(
    graph: &'a Graph,
    index: NodeIndex,
    unhealthy: &impl Fn(NodeIndex) -> Option<Failing<'a>>,
) -> Vec<Failing<'a>> {
    let mut found = BTreeMap::new();
    let mut seen = HashSet::from([index]);
    let mut open = vec![index];
    while let Some(at) = open.pop() {
        for edge in graph.dependencies(at).iter().filter(|edge| seen.insert(edge.on)) {
            match unhealthy(edge.on) {
                Some(failing) => drop(found.insert(failing.id, failing)),
                None if !graph.node(edge.on).role.is_resource() => open.push(edge.on),
                None => {}
            }
        }
    }
    found.into_values().collect()
}
