//! Events as people read them.

mod difference;
mod elapsed;
mod explanation;
mod resource;
mod summary;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use converge_core::Mode;
use converge_core::engine::{Event, InterruptKind};
use converge_core::graph::NodeId;
use converge_core::report::SourceMap;

use super::style::{Paint, WARNING};
use crate::diagnostics::count;
pub(crate) use elapsed::elapsed;
pub(crate) use explanation::explanation;
pub(super) use resource::{details, verdict_words};

/// How many resources a message names before it only counts the rest.
const NAMED: usize = 5;

/// Turns each event into the text that is to be shown for it, which may be none.
#[derive(Debug)]
pub(crate) struct HumanView {
    paint: Paint,
    sources: Arc<SourceMap>,
    mode: Mode,
}

impl HumanView {
    /// A view with or without colours; `sources` is what the spans of failures point into.
    pub(crate) fn new(color: bool, sources: Arc<SourceMap>) -> Self {
        Self { paint: Paint { color }, sources, mode: Mode::Plan }
    }

    /// The text for standard output.
    pub(crate) fn event(&mut self, event: &Event) -> String {
        match event {
            Event::RunStarted { mode, .. } => {
                self.mode = *mode;
                String::new()
            }
            Event::ResourceFinished(report) => resource::resource(report, self.paint, &self.sources),
            Event::RunFinished { summary, .. } => summary::summary(self.mode, summary, self.paint),
            _ => String::new(),
        }
    }
}

/// What is said on standard error when a run is asked to stop.
pub(crate) fn interrupted(kind: InterruptKind, running: &[NodeId], color: bool) -> String {
    let word = Paint { color }.paint(WARNING, "interrupted");
    let resources = count(running.len(), "resource");
    match kind {
        _ if running.is_empty() => format!("{word}: nothing else is started\n"),
        InterruptKind::Finish => format!(
            "{word}: nothing else is started; waiting for {resources} to finish ({}); \
             interrupt again to cancel\n",
            names(running)
        ),
        InterruptKind::Cancel => format!("{word}: cancelling {resources} ({})\n", names(running)),
    }
}

fn names(nodes: &[NodeId]) -> String {
    let shown: Vec<&str> = nodes.iter().take(NAMED).map(NodeId::short).collect();
    let more = nodes.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
