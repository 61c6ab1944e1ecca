//! Runs that return a plan or a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::basis::{Basis, Mismatch};
use super::recorder::Recorder;
use super::report::{Plan, Report};
use crate::graph::Graph;
use crate::sdk::context::RunMode;
use crate::{Approval, Engine, EngineError, FinishedRun, Key, OnDrift, OutputReport, Run, RunOptions, Start};
use converge_value::debug_as_text;

/// The reason why a plan was not applied; nothing was checked or changed.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyPlanError {
    /// The plan was made of something else.
    #[error("the plan does not match this run: {}; make a new plan", .mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Differs {
        /// All differences.
        mismatches: Vec<Mismatch>,
    },
    /// The run could not be started.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

debug_as_text!(ApplyPlanError);

impl Engine {
    /// Checks every resource without changing anything, and returns the plan.
    ///
    /// # Errors
    ///
    /// The same as for [`plan`](Self::plan).
    pub fn make_plan(&self, graph: &Arc<Graph>) -> Run<Plan> {
        let key = Key::random().map_err(|error| EngineError::NoRandomNumbers(error.to_string()));
        let owner = self.owner().cloned();
        let start = key.map(|key| {
            let options =
                RunOptions { key: Some(key.clone()), keeps_all: true, ..RunOptions::new(RunMode::Plan) };
            Start::new(options, move |mut finished| {
                let mut basis = Basis::new(finished.graph(), owner, key);
                basis.shown = std::mem::take(&mut finished.shown);
                basis.keep_selection(finished.graph(), &finished.selection);
                Plan { report: report(finished), labels: BTreeMap::new(), basis }
            })
        });
        Run::new(self, graph, start)
    }

    /// Applies a graph and returns the report.
    ///
    /// # Errors
    ///
    /// The same as for [`apply`](Self::apply).
    pub fn apply_for_report(&self, graph: &Arc<Graph>) -> Run<Report> {
        let options = RunOptions { keeps_all: true, ..RunOptions::new(RunMode::Apply) };
        Run::new(self, graph, Ok(Start::new(options, report)))
    }

    /// Applies what a plan showed, and does nothing else.
    ///
    /// Each resource is checked again before it is changed. It is changed if the plan showed every difference
    /// that is now found, or if the plan said that it *may* change. Finished changes are no longer found, so
    /// an interrupted apply can be continued, and a second apply has nothing to do. Anything else is drift,
    /// such as a change of a resource that the plan found unchanged, could not check, or did not select.
    /// [`on_drift`](Run::on_drift) sets how drift is handled.
    ///
    /// Only what checks report can be compared: two secrets that differ are only known to differ.
    ///
    /// # Errors
    ///
    /// Fails like [`apply`](Self::apply). It also fails if something differs from when the plan was made: a
    /// module, a parameter, a resource type, the graph, the [owner](Self::with_owner) or the version of
    /// converge. Nothing is then checked or changed.
    pub fn apply_plan(&self, graph: &Arc<Graph>, plan: &Plan) -> Run<Report, ApplyPlanError> {
        let approval = Some(Approval::new(plan.basis.key.clone(), &plan.basis.shown));
        let options = RunOptions { approval, keeps_all: true, ..RunOptions::new(RunMode::Apply) };
        let (basis, owner) = (plan.basis.clone(), self.owner().cloned());
        let start = Start::new(options, report).after(move |graph| {
            let mismatches = basis.mismatches(graph, owner);
            if !mismatches.is_empty() {
                return Err(ApplyPlanError::Differs { mismatches });
            }
            // Resources that the plan did not select are left alone.
            basis.selection(graph).map_err(|mismatch| ApplyPlanError::Differs { mismatches: vec![mismatch] })
        });
        Run::new(self, graph, Ok(start))
    }
}

impl<S> Run<Report, ApplyPlanError, S> {
    /// Sets how changes are handled that the plan did not show.
    ///
    /// By default they are [refused](OnDrift::Refuse).
    pub fn on_drift(mut self, on_drift: OnDrift) -> Self {
        if let Some(approval) = self.options().and_then(|options| options.approval.as_mut()) {
            approval.set_on_drift(on_drift);
        }
        self
    }
}

fn report(mut finished: FinishedRun) -> Report {
    // Nodes that the run added are part of the report.
    let graph = Arc::clone(finished.grown_graph());
    let mut recorder = Recorder::new(&graph);
    for report in std::mem::take(&mut finished.reports) {
        recorder.add(report);
    }
    let mut report = recorder.into_report(finished.run_id().clone(), finished.mode(), finished.summary);
    add_exports(&mut report, &graph, &finished);
    report.outputs = outputs(&finished, &graph);
    report
}

/// Returns the outputs of the root module, redacted as in events.
fn outputs(finished: &FinishedRun, graph: &Graph) -> Vec<OutputReport> {
    let redactor = graph.sources().redactor();
    let redacted = |mut output: OutputReport| {
        redactor.redact_in_place(&mut output.name);
        output.description.iter_mut().for_each(|text| redactor.redact_in_place(text));
        output
    };
    finished.outputs().into_iter().map(redacted).collect()
}

/// Adds the known exports that contain no secret.
fn add_exports(report: &mut Report, graph: &Graph, finished: &FinishedRun) {
    let redactor = graph.sources().redactor();
    for (index, node) in graph.nodes() {
        let Some(exports) = finished.exports(index) else { continue };
        let id = node.id.redacted(redactor);
        let resources = &mut report.resources;
        let Ok(position) = resources.binary_search_by(|resource| resource.id.cmp(&id)) else { continue };
        let Some(resource) = resources.get_mut(position) else { continue };
        let visible =
            exports.iter().filter(|(_, value)| value.find_unknown().is_none() && !value.contains_secret());
        resource.exports = visible.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    }
}
