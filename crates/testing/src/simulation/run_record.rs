//! The record of one run.

use std::fmt::Write as _;
use std::time::Duration;

use crate::graph::NodeId;
use converge_engine::{Difference, EventKind, Outcome, ResourceReport, Summary};

/// A run of a simulation, with all its events.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The events, each with the time since the start of the run.
    pub(super) events: Vec<(Duration, EventKind)>,
    /// The result of the run; `None` if the run was killed or could not start.
    pub(super) ended: Option<Result<Summary, String>>,
    /// The number of operations on the machine after the run had ended.
    pub(super) afterwards: usize,
}

impl Ran {
    /// Returns the events in order.
    pub fn events(&self) -> impl Iterator<Item = &EventKind> {
        self.events.iter().map(|(_, event)| event)
    }

    /// Returns the reports of finished resources.
    pub fn reports(&self) -> impl Iterator<Item = &ResourceReport> {
        self.events().filter_map(|event| match event {
            EventKind::ResourceFinished(report) => Some(&**report),
            _ => None,
        })
    }

    /// Returns the report of a resource, given its id without `root/`: `file.content.motd`.
    pub fn report(&self, id: &str) -> Option<&ResourceReport> {
        self.reports().find(|report| report.id.short() == id)
    }

    /// Returns the outcome of a resource, or `None` if the run was killed before a report.
    pub fn outcome(&self, id: &str) -> Option<Outcome> {
        self.report(id).map(|report| report.outcome)
    }

    /// Returns the ids of resources in the order in which they started.
    pub fn order(&self) -> Vec<&str> {
        let started = self.events().filter_map(|event| match event {
            EventKind::ResourceStarted { id } => Some(id.short()),
            _ => None,
        });
        started.collect()
    }

    /// Returns the summary of the run, or `None` if the run was killed.
    pub fn summary(&self) -> Option<&Summary> {
        self.ended.as_ref()?.as_ref().ok()
    }

    /// Whether the run was killed before its end.
    pub fn was_killed(&self) -> bool {
        self.ended.is_none()
    }

    /// Whether the run was asked to stop, or exceeded its deadline.
    pub fn was_interrupted(&self) -> bool {
        self.events().any(|event| matches!(event, EventKind::Interrupted { .. }))
    }

    pub(super) fn report_of(&self, id: &NodeId) -> Option<&ResourceReport> {
        self.reports().find(|report| report.id == *id)
    }

    /// Returns one line for each event, for people and for comparisons.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (time, event) in &self.events {
            let Some(line) = line(event) else { continue };
            lines.push(format!("{:>5}ms {line}", time.as_millis()));
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
        EventKind::ResourceUndone { by, report, .. } => {
            format!("{} is undone by {}", report.id.short(), by.short())
        }
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
