//! Diagnostics of a cancelled load.

use crate::diagnostic::{Diagnostic, Diagnostics};
use converge_value::types::cancellation::StopReason;

/// Returns the diagnostics of a cancelled load: the cancellation, and what was being done.
///
/// Earlier diagnostics are dropped, because they may quote text that would have turned out to be secret.
pub(super) fn stopped(name: &str, reason: StopReason, problems: &Diagnostics) -> Diagnostics {
    let code = reason.code();
    let mut diagnostic = Diagnostic::error(code, format!("{name} was not loaded: {reason}"));
    if let Some(placed) = problems.iter().find(|diagnostic| diagnostic.code == code) {
        diagnostic.message = format!("{}; {}", diagnostic.message, doing(&placed.message));
        diagnostic.labels.clone_from(&placed.labels);
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    diagnostics
}

/// Returns the part of a message that names the activity, before the reason.
fn doing(message: &str) -> &str {
    message.split_once(" when this was given up").map_or(message, |(doing, _)| doing)
}
