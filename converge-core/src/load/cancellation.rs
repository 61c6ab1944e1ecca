//! A load that is given up.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::types::cancellation::StopReason;

/// What is told of a load that was given up: that it was, and what was being done. Not what was wrong before: it may quote what
/// would have turned out to be a secret.
pub(super) fn stopped(name: &str, reason: StopReason, found: &Diagnostics) -> Diagnostics {
    let code = reason.code();
    let mut told = Diagnostic::error(code, format!("{name} was not loaded: {reason}"));
    if let Some(placed) = found.iter().find(|diagnostic| diagnostic.code == code) {
        told.message = format!("{}; {}", told.message, doing(&placed.message));
        told.labels.clone_from(&placed.labels);
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(told);
    diagnostics
}

/// What was being done: all before it says why that came to an end.
fn doing(message: &str) -> &str {
    message.split_once(" when this was given up").map_or(message, |(doing, _)| doing)
}
