//! Runs whose result is a value.

use std::sync::Arc;

use super::recorder::Recorder;
use super::report::{Plan, Report};
use crate::engine::{Engine, EngineError, Event, EventSink, FinishedRun, Interrupt, RunOptions};
use crate::graph::Graph;
use crate::sdk::context::RunMode;

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
        let report = self.record(RunOptions::new(RunMode::Plan), graph, interrupt, sink).await?;
        Ok(Plan { report })
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
        self.record(RunOptions::new(RunMode::Apply), graph, interrupt, sink).await
    }

    async fn record(
        &self,
        options: RunOptions,
        graph: &Arc<Graph>,
        interrupt: &Interrupt,
        sink: &mut dyn EventSink,
    ) -> Result<Report, EngineError> {
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
        Ok(report)
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
