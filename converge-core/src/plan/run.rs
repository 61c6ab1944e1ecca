//! Runs whose result is a value.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::basis::{Basis, Mismatch};
use super::recorder::Recorder;
use super::report::{Plan, Report};
use crate::engine::{
    Approval, Engine, EngineError, Event, EventSink, FinishedRun, Interrupt, OnDrift, RunOptions,
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

/// Gives events to the recorder and to the sink of the caller.
struct Both<'a> {
    recorder: Recorder,
    sink: &'a mut dyn EventSink,
}

impl EventSink for Both<'_> {
    fn emit(&mut self, event: Event) {
        self.recorder.emit(event.clone());
        self.sink.emit(event);
    }

    fn flush(&mut self) {
        self.sink.flush();
    }
}

impl Engine {
    /// Checks every resource, changes nothing, and gives what was found as a value. The events go to `sink` as well.
    ///
    /// # Errors
    ///
    /// As [`plan`](Self::plan).
    pub async fn make_plan(
        &self,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Plan, EngineError> {
        let mut basis = Basis::new(graph).map_err(|error| EngineError::NoRandomNumbers(error.to_string()))?;
        let options = RunOptions { key: Some(basis.key.clone()), ..RunOptions::new(RunMode::Plan) };
        let (report, finished) = self.record(options, graph, interrupt, sink).await?;
        basis.shown = finished.shown;
        Ok(Plan { report, labels: BTreeMap::new(), basis })
    }

    /// Applies a graph, and gives what came of it as a value. The events go to `sink` as well.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply).
    pub async fn apply_for_report(
        &self,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Report, EngineError> {
        let (report, _) = self.record(RunOptions::new(RunMode::Apply), graph, interrupt, sink).await?;
        Ok(report)
    }

    /// Applies what a plan showed, and does nothing else.
    ///
    /// Each resource is checked again before it is changed. It is changed when the plan showed every difference that is found
    /// then, and when the plan said that it *may* change. What is already done is not found any more, so an apply that was
    /// stopped goes on where it was, and a second one has nothing to do. Anything else is drift: also a resource
    /// that the plan found unchanged, could not check, or did not take. `on_drift` says what becomes of it.
    ///
    /// What a check does not tell cannot be compared: of a difference of two secrets only that there is one.
    ///
    /// # Errors
    ///
    /// As [`apply`](Self::apply), and when a module, a parameter, a type of resources, the graph or the version of converge is
    /// another than when the plan was made. Nothing is then checked or changed.
    pub async fn apply_plan(
        &self,
        graph: &Arc<Graph>,
        plan: &Plan,
        on_drift: OnDrift,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Report, ApplyPlanError> {
        let mismatches = plan.basis.mismatches(graph);
        if !mismatches.is_empty() {
            return Err(ApplyPlanError::Differs { mismatches });
        }
        let approval = Approval::new(plan.basis.key.clone(), &plan.basis.shown, on_drift);
        let options = RunOptions { approval: Some(approval), ..RunOptions::new(RunMode::Apply) };
        let (report, _) = self.record(options, graph, interrupt, sink).await?;
        Ok(report)
    }

    async fn record(
        &self,
        options: RunOptions,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<(Report, FinishedRun), EngineError> {
        let mode = options.mode;
        let options = RunOptions { keeps_exports: true, ..options };
        let mut both = Both { recorder: Recorder::new(graph), sink };
        let finished = self.run(options, graph, interrupt, &mut both).await?;
        // A run that is over has started.
        let run = finished.run_id();
        let report = both.recorder.finish();
        let mut report =
            report.unwrap_or(Report { run, mode, resources: Vec::new(), summary: finished.summary });
        add_exports(&mut report, graph, &finished);
        Ok((report, finished))
    }
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
