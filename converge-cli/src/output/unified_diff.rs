//! Unified diffs of texts, as `diff -u` shows them.

use std::time::Duration;

use converge_core::view::render::{sanitize, sanitize_line};
use similar::{ChangeTag, TextDiff};

use crate::console::{ADD, BOLD, DIM, HUNK, Paint, REMOVE};

/// The time limit of an exact diff, after which it becomes coarser.
const TIME: Duration = Duration::from_millis(500);

/// Formats the whole difference.
///
/// Terminal control characters are made visible, such as the CR of a CRLF line end.
pub(crate) fn unified(name: &str, before: &str, after: &str, paint: Paint) -> String {
    let name = sanitize_line(name);
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(paint.paint(BOLD, format_args!("--- {name}")));
    line(paint.paint(BOLD, format_args!("+++ {name}")));
    let diff = TextDiff::configure().timeout(TIME).diff_lines(before, after);
    for hunk in diff.unified_diff().iter_hunks() {
        line(paint.paint(HUNK, hunk.header()));
        for change in hunk.iter_changes() {
            let value = change.value();
            let value = sanitize(value.strip_suffix('\n').unwrap_or(value));
            line(match change.tag() {
                ChangeTag::Insert => paint.paint(ADD, format_args!("+{value}")),
                ChangeTag::Delete => paint.paint(REMOVE, format_args!("-{value}")),
                ChangeTag::Equal => format!(" {value}"),
            });
            if change.missing_newline() {
                line(paint.paint(DIM, "\\ No newline at end of file"));
            }
        }
    }
    text
}
