//! What came of one run.

use std::fmt::Write as _;
use std::time::Duration;

use crate::engine::{Difference, EventKind, Outcome, ResourceReport, Summary};
use crate::graph::NodeId;

/// One run of a simulation: everything that it told.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The events, each with when it was told, from the beginning of the run on.
    pub(super) events: Vec<(Duration, EventKind)>,
    /// What came of it; nothing when it was killed, or could not begin.
    pub(super) ended: Option<Result<Summary, String>>,
    /// What was done on the machine after the run had ended.
    pub(super) afterwards: usize,
}

impl Ran {
    /// The events in their order.
    pub fn events(&self) -> impl Iterator<Item = &EventKind> {
        self.events.iter().map(|(_, event)| event)
    }

    /// What was told of resources that are done with.
    pub fn reports(&self) -> impl Iterator<Item = &ResourceReport> {
        self.events().filter_map(|event| match event {
            EventKind::ResourceFinished(report) => Some(&**report),
            _ => None,
        })
    }

    /// What was told of one, by its id without `root/`: `file.content.motd`.
    pub fn report(&self, id: &str) -> Option<&ResourceReport> {
        self.reports().find(|report| report.id.short() == id)
    }

    /// What became of one; `None` when nothing was told of it, as the run was killed.
    pub fn outcome(&self, id: &str) -> Option<Outcome> {
        self.report(id).map(|report| report.outcome)
    }

    /// The ids in the order in which their work began.
    pub fn order(&self) -> Vec<&str> {
        let started = self.events().filter_map(|event| match event {
            EventKind::ResourceStarted { id } => Some(id.short()),
            _ => None,
        });
        started.collect()
    }

    /// What came of the run; `None` when it was killed.
    pub fn summary(&self) -> Option<&Summary> {
        self.ended.as_ref()?.as_ref().ok()
    }

    /// Whether it was killed before it had ended.
    pub fn was_killed(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether it was asked to stop, or had a deadline that was over.
    pub fn was_interrupted(&self) -> bool {
        self.events().any(|event| matches!(event, EventKind::Interrupted { .. }))
    }

    pub(super) fn of(&self, id: &NodeId) -> Option<&ResourceReport> {
        self.reports().find(|report| report.id == *id)
    }

    /// What happened, a line for each event, to be read and compared.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (at, event) in &self.events {
            let Some(line) = line(event) else { continue };
            lines.push(format!("{:>5}ms {line}", at.as_millis()));
        }
        match &self.ended {
            Some(Ok(_)) => {}
            Some(Err(error)) => lines.push(format!("        the run could not be made: {error}")),
            None => lines.push("        killed".to_owned()),
        }
        lines
    }
}

fn line(event: &EventKind) -> Option<String> {
    Some(match event {
        EventKind::ResourceStarted { id } => format!("{} begins", id.short()),
        EventKind::ResourceStage { id, stage } => format!("{}: {stage:?}", id.short()),
        EventKind::ResourceWaiting { id, lock, name, .. } => {
            format!("{} waits for the {lock:?} {}", id.short(), name.as_deref().unwrap_or("of its copies"))
        }
        EventKind::AttemptFailed { id, attempt, attempts, reason, .. } => {
            format!("{}: attempt {attempt} of {attempts} failed: {reason}", id.short())
        }
        EventKind::ResourceFinished(report) => finished(report),
        EventKind::Interrupted { interrupt, running } => {
            let running: Vec<&str> = running.iter().map(NodeId::short).collect();
            format!("asked to {interrupt:?}, while working on {}", running.join(", "))
        }
        EventKind::RunFinished { summary } => format!("done: {summary}"),
        _ => return None,
    })
}

fn finished(report: &ResourceReport) -> String {
    let mut line = format!("{}: {:?}", report.id.short(), report.outcome);
    if report.differences.iter().any(is_refresh) {
        line.push_str(" (refreshed)");
    }
    if let Some(failure) = &report.failure {
        let _ = write!(line, " at {:?}: {}", failure.stage, failure.message);
    }
    if let Some(skipped) = &report.skipped {
        let _ = write!(line, ", for {}: {}", skipped.cause.short(), skipped.reason);
    }
    line
}

pub(super) fn is_refresh(difference: &Difference) -> bool {
    difference.refresh
}
