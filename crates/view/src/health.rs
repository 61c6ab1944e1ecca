//! Health assessments of resources, derived from a plan.
//!
//! An unchanged resource is healthy, a pending change is a warning, and a failed check is an error.
//!
//! Health is a view of a plan, not a second interface of resources as in the original Converge. A skipped
//! resource is as healthy as the cause of the skip, so a warning stays a warning however many resources
//! depend on it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde::Serialize;

use super::explain::Reports;
use crate::graph::{Graph, NodeIndex, Role};
use crate::sdk::health::Health;
use crate::types::id::NodeId;
use converge_engine::{Outcome, ResourceReport};

/// The health of one resource.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Assessment<'a> {
    /// The id of the resource.
    pub id: &'a NodeId,
    /// The health in one word.
    pub health: Health,
    /// The report of the plan about the resource.
    #[serde(skip)]
    pub report: &'a ResourceReport,
    /// The closest unhealthy dependencies, sorted by id; empty for a healthy resource.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<Failing<'a>>,
}

impl<'a> Assessment<'a> {
    /// Creates an assessment without failing dependencies.
    pub fn new(id: &'a NodeId, health: Health, report: &'a ResourceReport) -> Self {
        Self { id, health, report, failing: Vec::new() }
    }
}

/// An unhealthy dependency of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Failing<'a> {
    /// The id of the resource, or of the gate that cannot be decided.
    pub id: &'a NodeId,
    /// The health of the dependency.
    pub health: Health,
}

/// Assesses the health of each resource of a graph from the reports of a plan, sorted by id.
///
/// The graph must be that of the run, which contains the instances that
/// only the plan could determine.
///
/// - An unchanged resource is healthy; with warnings it is a warning.
/// - A resource that will or may change is a warning.
/// - A failed resource is an error, or a warning if it is optional. A resource without a report, as after an
///   interrupted plan, is an error.
/// - A resource that was skipped because of a failed dependency is as healthy as that dependency.
/// - A health that the check sets itself ([`Status::set_health`](converge_sdk::Status::set_health)) takes
///   precedence.
///
/// Resources that the module does not take are left out. Parameters without errors are left out too, because
/// they say nothing about the machine.
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
    let mut states: BTreeMap<NodeIndex, (Health, &ResourceReport)> = BTreeMap::new();
    let redactor = graph.sources().redactor();
    for (index, node) in graph.nodes() {
        if let Some(report) = reports.get(&node.id.redacted(redactor))
            && let Some(health) = health(report, reports)
        {
            states.insert(index, (health, report));
        }
    }
    let unhealthy = |index: NodeIndex| {
        let (health, report) = *states.get(&index).filter(|state| state.0 > Health::Healthy)?;
        Some(Failing { id: &report.id, health })
    };
    let assess = |(&index, &(health, report)): (&NodeIndex, &(Health, &'a ResourceReport))| {
        let failing = match health {
            Health::Healthy => Vec::new(),
            _ => failing(graph, index, &unhealthy),
        };
        // The id of the report is redacted and may be shown.
        Assessment { failing, ..Assessment::new(&report.id, health, report) }
    };
    let is_of_the_machine = |(index, (health, _)): &(&NodeIndex, &(Health, _))| {
        *health > Health::Healthy || graph.node(**index).role != Role::Param
    };
    let mut assessments: Vec<Assessment<'_>> = states.iter().filter(is_of_the_machine).map(assess).collect();
    // Nodes that the run has added come last in its graph.
    assessments.sort_by(|a, b| a.id.cmp(b.id));
    assessments
}

/// Returns the health, or `None` for a resource that the module does not take.
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

/// Returns the closest unhealthy dependencies of a node.
///
/// Parameters and structure nodes only count if they failed.
fn failing<'a>(
    graph: &'a Graph,
    index: NodeIndex,
    unhealthy: &impl Fn(NodeIndex) -> Option<Failing<'a>>,
) -> Vec<Failing<'a>> {
    let mut causes = BTreeMap::new();
    let mut seen = HashSet::from([index]);
    let mut open = vec![index];
    while let Some(current) = open.pop() {
        for edge in graph.dependencies(current).iter().filter(|edge| seen.insert(edge.on)) {
            match unhealthy(edge.on) {
                Some(failing) => drop(causes.insert(failing.id, failing)),
                None if !graph.node(edge.on).role.is_resource() => open.push(edge.on),
                None => {}
            }
        }
    }
    causes.into_values().collect()
}
