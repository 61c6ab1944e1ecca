//! Events as JSON, with resolved source places in failures.

use serde_json::Value;

use super::diagnostic;
use crate::diagnostic::SourceMap;
use converge_engine::{Event, EventKind};

/// Converts an event to a JSON object.
///
/// The diagnostics of a failure become [`DiagnosticRecord`]s; everything else is the serialized [`Event`].
///
/// [`DiagnosticRecord`]: super::DiagnosticRecord
///
/// # Errors
///
/// None with the types of this crate; the signature of the serializer allows for one.
pub fn event(event: &Event, sources: &SourceMap) -> serde_json::Result<Value> {
    resolved(serde_json::to_value(event)?, &event.kind, sources)
}

/// Converts the kind of an event like [`event`], without the run and the time.
///
/// # Errors
///
/// The same as for [`event`].
pub fn event_kind(kind: &EventKind, sources: &SourceMap) -> serde_json::Result<Value> {
    resolved(serde_json::to_value(kind)?, kind, sources)
}

fn resolved(mut value: Value, kind: &EventKind, sources: &SourceMap) -> serde_json::Result<Value> {
    if let EventKind::ResourceFinished(report) | EventKind::ResourceUndone { report, .. } = kind
        && let Some(failure) = &report.failure
        && let Some(slot) = value.pointer_mut("/failure/diagnostics")
    {
        let records: Vec<_> = failure.diagnostics.iter().map(|item| diagnostic(item, sources)).collect();
        *slot = serde_json::to_value(records)?;
    }
    Ok(value)
}
