//! Output of events for people.

mod difference;
mod explanation;
mod order;
mod outcome;
mod outputs;
mod resource;
mod summary;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use converge_core::RunMode;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::{EventKind, InterruptKind, OutputReport};
use converge_core::graph::{Graph, NodeId};
use converge_core::state::Holder;
use converge_core::view::render::sanitize_line;

use self::order::CanonicalOrder;
use crate::console::{Paint, WARNING};
use crate::wording::{count, elapsed, name_some};
pub(crate) use explanation::explanation;
pub(crate) use outputs::{output_lines, written};
pub(super) use resource::{details, verdict_words};

/// Converts each event to the text to show for it, which may be empty.
#[derive(Debug)]
pub(crate) struct HumanView {
    paint: Paint,
    sources: Arc<SourceMap>,
    mode: RunMode,
    /// Whether messages of unchanged resources are shown.
    verbose: bool,
    /// The order of the lines of a plan. An apply shows lines as events happen.
    order: Option<CanonicalOrder>,
    /// The outputs of the module, shown after everything else.
    outputs: Vec<OutputReport>,
}

impl HumanView {
    /// Creates a view; the spans of failures point into `sources`.
    pub(crate) fn new(paint: Paint, sources: Arc<SourceMap>) -> Self {
        Self { paint, sources, mode: RunMode::Plan, verbose: false, order: None, outputs: Vec::new() }
    }

    /// Also shows messages of unchanged resources, and differences that will not be applied.
    pub(crate) fn verbose(self, verbose: bool) -> Self {
        Self { verbose, ..self }
    }

    /// Shows the lines of a plan of this graph in a fixed order, whatever ends first.
    pub(crate) fn ordered(self, graph: &Arc<Graph>) -> Self {
        Self { order: Some(CanonicalOrder::new(graph)), ..self }
    }

    pub(crate) fn event(&mut self, event: &EventKind) -> String {
        match event {
            EventKind::RunStarted { mode, .. } => {
                self.mode = *mode;
                String::new()
            }
            EventKind::InstancesKnown { id, resources, unknown } => self
                .order
                .as_mut()
                .map(|order| order.record_instances(id, resources + unknown))
                .unwrap_or_default(),
            EventKind::ResourceFinished(report) => {
                let text = resource::resource(report, self.verbose, self.paint, &self.sources);
                match &mut self.order {
                    Some(order) => order.take(&report.id, text),
                    None => text,
                }
            }
            EventKind::ResourceUndone { report, .. } => {
                resource::resource(report, self.verbose, self.paint, &self.sources)
            }
            EventKind::Output(output) => {
                self.outputs.push(output.clone());
                String::new()
            }
            EventKind::RunFinished { summary, .. } => {
                let pending = self.order.as_mut().map(CanonicalOrder::finish).unwrap_or_default();
                let outputs = outputs::outputs(&std::mem::take(&mut self.outputs), self.paint);
                pending + &summary::summary(self.mode, summary, self.paint) + &outputs
            }
            _ => String::new(),
        }
    }
}

/// Returns the message on standard error about another apply that holds a lock.
pub(crate) fn held(title: &str, holder: &Holder, paint: Paint) -> String {
    format!("{}: {}\n", paint.paint(WARNING, title), sanitize_line(&holder.to_string()))
}

/// Returns the message on standard error about a pending refresh that can no longer be made.
pub(crate) fn forgotten(node: &str, module: &str, time: &str, causes: &[String], paint: Paint) -> String {
    let text = format!(
        "{node} of {module} has a pending refresh since {time}, because {} changed; the resource no longer exists, so the refresh is dropped",
        causes.join(", ")
    );
    format!("{}: {}\n", paint.paint(WARNING, "warning"), sanitize_line(&text))
}

/// Returns the message on standard error about a resource that is tried again.
pub(crate) fn attempt_failed(
    id: &NodeId,
    attempt: &str,
    wait: Duration,
    reason: &str,
    paint: Paint,
) -> String {
    let text = format!("{} in {}: {attempt} failed: {reason}", id.short(), elapsed(wait));
    format!("{}: {}\n", paint.paint(WARNING, "trying again"), sanitize_line(&text))
}

/// Returns the message on standard error about the request to stop a run.
pub(crate) fn interrupted(kind: InterruptKind, running: &[NodeId], paint: Paint) -> String {
    let word = paint.paint(WARNING, "interrupted");
    let resources = count(running.len(), "resource");
    let names = || name_some(running.iter().map(|id| id.short().to_owned()));
    match kind {
        _ if running.is_empty() => format!("{word}: nothing else is started\n"),
        InterruptKind::Finish => format!(
            "{word}: nothing else is started; waiting for {resources} to finish ({}); \
             interrupt again to cancel\n",
            names()
        ),
        InterruptKind::Cancel => format!("{word}: cancelling {resources} ({})\n", names()),
    }
}
