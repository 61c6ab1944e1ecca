//! One difference: two values on a line, or a unified diff of texts.

use std::time::Duration;

use converge_core::DiffValue;
use converge_core::engine::Difference;
use converge_core::view::render::{sanitize, sanitize_line};
use similar::{ChangeTag, TextDiff};

use crate::console::{ADD, DIM, HUNK, Paint, REMOVE};

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
    let name = sanitize_line(&difference.name);
    let [before, after] = [&difference.before, &difference.after].map(DiffValue::to_string);
    if difference.refresh {
        return format!("  {name}: {}\n", paint.paint(ADD, sanitize_line(&after)));
    }
    if !(has_lines(&before) || has_lines(&after)) {
        let skip = equal_start(&before, &after);
        let before = paint.paint(REMOVE, value(&difference.before, skip));
        let after = paint.paint(ADD, value(&difference.after, skip));
        return format!("  {name}: {before} => {after}\n");
    }
    if before.len() + after.len() > DIFF_SIZE {
        return format!("  {name}: {} => {}\n", size(&before), size(&after));
    }
    format!("  {name}:\n{}", unified(&before, &after, paint))
}

/// Whether the text is more than one line; a newline at its end does not count.
fn has_lines(text: &str) -> bool {
    text.strip_suffix('\n').unwrap_or(text).contains('\n')
}

fn size(text: &str) -> String {
    format!("{} bytes in {} lines", text.len(), text.lines().count())
}

/// How many characters at the start of both values are left out, because they are long and equal.
fn equal_start(before: &str, after: &str) -> usize {
    let fits = |text: &str| text.chars().count() <= VALUE_LENGTH;
    if fits(before) && fits(after) {
        return 0;
    }
    let same = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    same.saturating_sub(LEAD)
}

/// A value in quotes, cut; what stands in the place of a value has none.
fn value(value: &DiffValue, skip: usize) -> String {
    let DiffValue::Known(text) = value else { return sanitize_line(&value.to_string()).into_owned() };
    let mut rest = text.chars().skip(skip);
    let shown: String = rest.by_ref().take(VALUE_LENGTH).collect();
    let before = if skip > 0 { "..." } else { "" };
    let after = match rest.count() {
        0 => String::new(),
        more => format!("... ({more} more characters)"),
    };
    format!("{before}{shown:?}{after}")
}

/// A unified diff as `diff -u` writes it, without the names of files.
fn unified(before: &str, after: &str, paint: Paint) -> String {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
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
