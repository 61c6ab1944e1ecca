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
        let activity = placed.message.replacen(&format!(": {reason}"), "", 1);
        diagnostic.message = format!("{}; {activity}", diagnostic.message);
        diagnostic.labels.clone_from(&placed.labels);
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    diagnostics
}
