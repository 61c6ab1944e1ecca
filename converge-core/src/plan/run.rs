//! Runs whose result is a value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::basis::{Basis, Mismatch};
use super::recorder::Recorder;
use super::report::{Plan, Report};
use crate::engine::{
    Approval, Engine, EngineError, FinishedRun, Key, OnDrift, OutputReport, Run, RunOptions, Start,
};
use crate::graph::Graph;
use crate::sdk::context::RunMode;

/// Why a plan was not applied. Nothing was checked or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyPlanError {
    /// It is a plan of something else.
    #[error("the plan is of something else: {}; make a new plan", .mismatches.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Differs {
        /// What is another, each named.
        mismatches: Vec<Mismatch>,
    },
    /// The run could not begin.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl Engine {
    /// Checks every resource, changes nothing, and gives what was found as a value.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
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

    /// Applies a graph, and gives what came of it as a value.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub fn apply_for_report(&self, graph: &Arc<Graph>) -> Run<Report> {
        let options = RunOptions { keeps_all: true, ..RunOptions::new(RunMode::Apply) };
        Run::new(self, graph, Ok(Start::new(options, report)))
    }

    /// Applies what a plan showed, and does nothing else.
    ///
    /// Each resource is checked again before it is changed. It is changed when the plan showed every difference that is found
    /// then, and when the plan said that it *may* change. What is already done is not found any more, so an apply that was
    /// stopped goes on where it was, and a second one has nothing to do. Anything else is drift: also a resource
    /// that the plan found unchanged, could not check, or did not take. [`on_drift`](Run::on_drift) says what becomes of it.
    ///
    /// What a check does not tell cannot be compared: of a difference of two secrets only that there is one.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply), and when a module, a parameter, a type of resources, the graph, the [owner](Self::with_owner) or the
    /// version of converge is another than when the plan was made. Nothing is then checked or changed.
    pub fn apply_plan(&self, graph: &Arc<Graph>, plan: &Plan) -> Run<Report, ApplyPlanError> {
        let approval = Some(Approval::new(plan.basis.key.clone(), &plan.basis.shown));
        let options = RunOptions { approval, keeps_all: true, ..RunOptions::new(RunMode::Apply) };
        let (basis, owner) = (plan.basis.clone(), self.owner().cloned());
        let start = Start::new(options, report).after(move |graph| {
            let mismatches = basis.mismatches(graph, owner);
            if !mismatches.is_empty() {
                return Err(ApplyPlanError::Differs { mismatches });
            }
            // What the plan was not about is left alone.
            basis.selection(graph).map_err(|part| ApplyPlanError::Differs { mismatches: vec![part] })
        });
        Run::new(self, graph, Ok(start))
    }
}

impl<S> Run<Report, ApplyPlanError, S> {
    /// What becomes of a resource that would be changed in a way which the plan did not show; it is
    /// [refused](OnDrift::Refuse) when nothing is said.
    pub fn on_drift(mut self, on_drift: OnDrift) -> Self {
        if let Some(approval) = self.options().and_then(|options| options.approval.as_mut()) {
            approval.set_on_drift(on_drift);
        }
        self
    }
}

/// What a run gave that kept all.
fn report(mut finished: FinishedRun) -> Report {
    // What the run has found is reported on as well.
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

/// What the root module gives, as events tell it.
fn outputs(finished: &FinishedRun, graph: &Graph) -> Vec<OutputReport> {
    let redactor = graph.sources().redactor();
    let redacted = |mut output: OutputReport| {
        redactor.redact_in_place(&mut output.name);
        output.description.iter_mut().for_each(|text| redactor.redact_in_place(text));
        output
    };
    finished.outputs().into_iter().map(redacted).collect()
}

/// Adds what is known of what resources export, without what holds a secret.
fn add_exports(report: &mut Report, graph: &Graph, finished: &FinishedRun) {
    let redactor = graph.sources().redactor();
    for (index, node) in graph.nodes() {
        let Some(exports) = finished.exports(index) else { continue };
        let id = node.id.redacted(redactor);
        let resources = &mut report.resources;
        let Ok(at) = resources.binary_search_by(|resource| resource.id.cmp(&id)) else { continue };
        let Some(resource) = resources.get_mut(at) else { continue };
        let shown =
            exports.iter().filter(|(_, value)| value.find_unknown().is_none() && !value.contains_secret());
        resource.exports = shown.map(|(name, value)| (name.to_owned(), value.clone())).collect();
    }
}
