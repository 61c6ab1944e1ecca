//! Redaction of secrets in events.
//!
//! All events of a run pass through here, so resources need not redact their output themselves. Every field
//! of an event is named here, so that a new field does not compile until its redaction is decided.

use super::difference::Difference;
use super::event::EventKind;
use super::lock_wait::Waited;
use super::output::OutputReport;
use super::report::{Failure, ResourceReport, Skipped};
use crate::redact::{REDACTED, Redactor};
use crate::sdk::status::DiffValue;
use crate::types::id::NodeId;

/// Redacts the secrets in an event.
pub(super) fn redact_event(event: &mut EventKind, redactor: &Redactor) {
    match event {
        // The holder of a lock is named by the path of its module, which its own run has redacted.
        EventKind::Waiting { holder: _ }
        | EventKind::ApplyUnderWay { holder: _ }
        | EventKind::ProgressLeftOut { events: _ }
        | EventKind::RunStarted { mode: _, resources: _ }
        | EventKind::RunFinished { summary: _ } => {}
        EventKind::RefreshForgotten { node, module, since: _, causes } => {
            for text in [node, module].into_iter().chain(causes) {
                redactor.redact_in_place(text);
            }
        }
        EventKind::AttemptFailed { id, attempt: _, attempts: _, wait: _, reason } => {
            redact_id(id, redactor);
            redactor.redact_in_place(reason);
        }
        EventKind::ResourceStarted { id }
        | EventKind::InstancesKnown { id, resources: _, unknown: _ }
        | EventKind::ResourceStage { id, stage: _ }
        | EventKind::ResourceBytes { id, done: _, total: _ } => redact_id(id, redactor),
        EventKind::ResourceWaiting { id, lock: _, name, held_by: _ } => {
            redact_id(id, redactor);
            if let Some(name) = name {
                redactor.redact_in_place(name);
            }
        }
        // The text of a step is redacted before it is cut; redacting it again is harmless.
        EventKind::ResourceStep { id, text: line }
        | EventKind::ResourceOutput { id, stream: _, line, left_out: _ } => {
            redact_id(id, redactor);
            redactor.redact_in_place(line);
        }
        // The value of an output contains no secret, or is not shown.
        EventKind::Output(OutputReport { name, description, value: _ }) => {
            redactor.redact_in_place(name);
            if let Some(description) = description {
                redactor.redact_in_place(description);
            }
        }
        EventKind::ResourceFinished(report) => redact_report(report, redactor),
        EventKind::ResourceUndone { by, was: _, report } => {
            redact_id(by, redactor);
            redact_report(report, redactor);
        }
        EventKind::Interrupted { interrupt: _, running } => {
            for id in running {
                redact_id(id, redactor);
            }
        }
    }
}

fn redact_id(id: &mut NodeId, redactor: &Redactor) {
    *id = id.redacted(redactor);
}

fn redact_report(report: &mut ResourceReport, redactor: &Redactor) {
    let ResourceReport {
        id,
        role: _,
        outcome: _,
        optional: _,
        announces: _,
        level: _,
        health: _,
        differences,
        messages,
        warnings,
        failure,
        skipped,
        pending,
        waited,
        reads,
        elapsed: _,
    } = report;
    redact_id(id, redactor);
    // A path cannot be watched without its name.
    reads.take_if(|paths| paths.iter().any(|path| redactor.is_in(&path.to_string_lossy())));
    if let Some(pending) = pending {
        redact_id(pending, redactor);
    }
    for difference in differences {
        redact_difference(difference, redactor);
    }
    for text in messages.iter_mut().chain(warnings) {
        redactor.redact_in_place(text);
    }
    for Waited { lock: _, name, held_by: _, elapsed: _ } in waited {
        if let Some(name) = name {
            redactor.redact_in_place(name);
        }
    }
    if let Some(Failure { stage: _, message, diagnostics }) = failure {
        redactor.redact_in_place(message);
        for diagnostic in diagnostics {
            diagnostic.redact(redactor);
        }
    }
    if let Some(Skipped { cause, reason }) = skipped {
        redact_id(cause, redactor);
        redactor.redact_in_place(reason);
    }
}

/// Redacts a difference.
///
/// If the declared value contains a secret, the actual value may contain the previous secret, which is no
/// longer known.
fn redact_difference(difference: &mut Difference, redactor: &Redactor) {
    let Difference { name, field: _, before, after, changes: _, refresh: _ } = difference;
    redactor.redact_in_place(name);
    let holds_secret = |side: &DiffValue| match side {
        DiffValue::Known(text) | DiffValue::Placeholder(text) => redactor.is_in(text),
        DiffValue::Unknown | DiffValue::Secret => false,
    };
    if holds_secret(after) {
        *after = DiffValue::Secret;
        if matches!(before, DiffValue::Known(text) if !text.is_empty() && text != REDACTED) {
            *before = DiffValue::Secret;
        }
    } else if holds_secret(before) {
        *before = DiffValue::Secret;
    }
}
