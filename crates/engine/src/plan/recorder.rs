//! Conversion of the events of a run to a report.

use std::sync::Arc;

use super::report::Report;
use super::resource::ResourceResult;
use crate::graph::Graph;
use crate::sdk::context::{RunId, RunMode};
use crate::{Event, EventKind, EventSink, OutputReport, ResourceReport, Summary};

/// An event sink that creates a [`Report`] from the events of one run.
///
/// Events do not contain the exports of resources; see
/// [`Engine::apply_for_report`](crate::Engine::apply_for_report).
#[derive(Debug)]
pub struct Recorder {
    graph: Arc<Graph>,
    run: Option<(RunId, RunMode)>,
    resources: Vec<ResourceResult>,
    outputs: Vec<OutputReport>,
    summary: Summary,
}

impl Recorder {
    /// Creates a recorder for a run of this graph.
    pub fn new(graph: &Arc<Graph>) -> Self {
        Self {
            graph: Arc::clone(graph),
            run: None,
            resources: Vec::new(),
            outputs: Vec::new(),
            summary: Summary::default(),
        }
    }

    /// Returns the report; `None` if no run has started.
    pub fn finish(mut self) -> Option<Report> {
        let (run, mode) = self.run.take()?;
        let summary = self.summary;
        Some(self.into_report(run, mode, summary))
    }

    pub(super) fn into_report(mut self, run: RunId, mode: RunMode, summary: Summary) -> Report {
        self.resources.sort_by(|a, b| a.id.cmp(&b.id));
        Report { run, mode, resources: self.resources, outputs: self.outputs, summary }
    }

    pub(super) fn add(&mut self, report: ResourceReport) {
        let resource_type = self.type_of(report.id.as_str());
        self.resources.push(ResourceResult::new(report, resource_type, self.graph.sources()));
    }

    /// Returns the type name of a resource; a secret may be redacted from the ID in an event.
    fn type_of(&self, id: &str) -> &'static str {
        let redactor = self.graph.sources().redactor();
        let node = self.graph.find(id).map(|index| self.graph.node(index));
        // Nodes that the run added have the type of their pattern.
        let node = node.or_else(|| self.graph.declared_in(id).map(|(_, node)| node));
        let node_of_id = node.or_else(|| {
            let mut nodes = self.graph.nodes().map(|(_, node)| node);
            nodes.find(|node| node.id.redacted(redactor).as_str() == id)
        });
        node_of_id.map_or("", |node| node.resource.name())
    }
}

impl EventSink for Recorder {
    fn emit(&mut self, event: Event) {
        match event.kind {
            EventKind::RunStarted { mode, .. } => self.run = Some((event.run, mode)),
            EventKind::ResourceFinished(report) => self.add(*report),
            EventKind::ResourceUndone { report, .. } => {
                self.resources.retain(|resource| resource.id != report.id);
                self.add(*report);
            }
            EventKind::Output(output) => self.outputs.push(output),
            EventKind::RunFinished { summary, .. } => self.summary = summary,
            _ => {}
        }
    }
}
