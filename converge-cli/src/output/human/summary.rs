//! The last line of a run.

use converge_core::RunMode;
use converge_core::engine::Summary;

use crate::console::{ADD, BOLD, CHANGE, DIM, ERROR, Paint};
use crate::wording::elapsed;

/// Formats `Plan: 2 to change, 1 may change, 0 failed, 97 unchanged (0.03s)`.
pub(super) fn summary(mode: RunMode, summary: &Summary, paint: Paint) -> String {
    let title = match mode {
        RunMode::Plan => "Plan",
        RunMode::Apply => "Apply",
    };
    // Parts with `true` are always shown, the others only if their count is not zero.
    let parts = [
        (summary.will_change, mode == RunMode::Plan, "to change", CHANGE),
        (summary.may_change, false, "may change", CHANGE),
        (summary.changed, mode == RunMode::Apply, "changed", ADD),
        (summary.failed, true, "failed", ERROR),
        (summary.skipped, false, "skipped", ERROR),
        (summary.not_run, false, "not run", ERROR),
        (summary.not_taken, false, "not taken", DIM),
        (summary.forgiven, false, "optional and not done", CHANGE),
        (summary.left_out, false, "left out", DIM),
        (summary.unchanged, true, "unchanged", DIM),
    ];
    let counts = parts.into_iter().filter(|(number, always, ..)| *always || *number > 0);
    let counts: Vec<String> = counts
        .map(|(number, _, words, style)| {
            let text = format!("{number} {words}");
            if number > 0 { paint.paint(style, text) } else { text }
        })
        .collect();
    format!("{}: {} ({})\n", paint.paint(BOLD, title), counts.join(", "), elapsed(summary.elapsed))
}
