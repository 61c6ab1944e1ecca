//! One difference: two values on a line, or a unified diff of texts.

use std::time::Duration;

use converge_core::engine::Difference;
use similar::{ChangeTag, TextDiff};

use crate::output::sanitize::{sanitize, sanitize_line};
use crate::output::style::{ADD, DIM, HUNK, Paint, REMOVE};

/// Lines around a change.
const CONTEXT: usize = 3;
/// A diff is cut after this many lines.
const LINES: usize = 200;
/// A line of a diff is cut after this many characters.
const LINE_LENGTH: usize = 500;
/// A value on one line is cut to this many characters.
const VALUE_LENGTH: usize = 160;
/// What is shown of a value before the first character that differs, when the value is cut.
const LEAD: usize = 20;
/// Beyond this size of both texts together no diff is made.
const DIFF_SIZE: usize = 4 << 20;
/// A diff that takes longer becomes coarser.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// The lines for a difference, indented under its resource.
pub(super) fn difference(difference: &Difference, paint: Paint) -> String {
    let Difference { name, original, current, .. } = difference;
    let name = sanitize_line(name);
    if difference.is_refresh() {
        return format!("  {name}: {}\n", paint.paint(ADD, sanitize_line(current)));
    }
    if !(has_lines(original) || has_lines(current)) {
        let [original, current] = values(original, current);
        let [original, current] = [paint.paint(REMOVE, original), paint.paint(ADD, current)];
        return format!("  {name}: {original} => {current}\n");
    }
    if original.len() + current.len() > DIFF_SIZE {
        return format!("  {name}: {} => {}\n", size(original), size(current));
    }
    format!("  {name}:\n{}", unified(original, current, paint))
}

/// Whether the text is more than one line; a newline at its end does not count.
fn has_lines(text: &str) -> bool {
    text.strip_suffix('\n').unwrap_or(text).contains('\n')
}

fn size(text: &str) -> String {
    format!("{} bytes in {} lines", text.len(), text.lines().count())
}

/// Both values in quotes. What a resource says in place of a value, such as `(sensitive)`, has none.
fn values(original: &str, current: &str) -> [String; 2] {
    let fits = |text: &str| text.chars().count() <= VALUE_LENGTH;
    let skip = if fits(original) && fits(current) {
        0
    } else {
        let same = original.chars().zip(current.chars()).take_while(|(a, b)| a == b).count();
        same.saturating_sub(LEAD)
    };
    [original, current].map(|text| {
        if text.starts_with('(') && text.ends_with(')') && fits(text) {
            return sanitize_line(text).into_owned();
        }
        let mut rest = text.chars().skip(skip);
        let shown: String = rest.by_ref().take(VALUE_LENGTH).collect();
        let before = if skip > 0 { "..." } else { "" };
        let after = match rest.count() {
            0 => String::new(),
            more => format!("... ({more} more characters)"),
        };
        format!("{before}{shown:?}{after}")
    })
}

/// A unified diff as `diff -u` writes it, without the names of files.
fn unified(original: &str, current: &str, paint: Paint) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(original, current);
    let mut lines: Vec<String> = Vec::new();
    let (mut changes, mut cut) = (0, 0);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if changes < LINES {
            lines.push(paint.paint(HUNK, hunk.header()));
        }
        for change in hunk.iter_changes() {
            changes += 1;
            if changes > LINES {
                cut += 1;
                continue;
            }
            let line = line(change.value());
            lines.push(match change.tag() {
                ChangeTag::Insert => paint.paint(ADD, format_args!("+{line}")),
                ChangeTag::Delete => paint.paint(REMOVE, format_args!("-{line}")),
                ChangeTag::Equal => format!(" {line}"),
            });
            if change.missing_newline() {
                lines.push(paint.paint(DIM, "\\ no newline at the end"));
            }
        }
    }
    if cut > 0 {
        lines.push(paint.paint(DIM, format_args!("... {cut} more lines")));
    }
    lines.iter().flat_map(|line| ["    ", line, "\n"]).collect()
}

/// One line of a text: without its end, safe, and cut. Tabs are kept; they are how the file looks.
fn line(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut rest = text.chars();
    let shown: String = rest.by_ref().take(LINE_LENGTH).collect();
    let shown = sanitize(&shown);
    match rest.count() {
        0 => shown.into_owned(),
        more => format!("{shown}... ({more} more characters)"),
    }
}
