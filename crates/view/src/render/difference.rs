//! Rendering of a difference: two values on a line, or a unified diff.

use std::fmt;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::sanitize::{sanitize, sanitize_line};
use crate::sdk::status::DiffValue;
use converge_engine::Difference;

/// The number of context lines around a change.
const CONTEXT: usize = 3;
/// The maximum number of lines of a diff.
const LINES: usize = 200;
/// The maximum number of characters in a line of a diff.
const LINE_LENGTH: usize = 500;
/// The maximum number of characters of a value on one line.
const VALUE_LENGTH: usize = 160;
/// The number of equal characters shown before the first difference of a truncated value.
const LEAD: usize = 20;
/// The maximum size in bytes of both texts together for which a diff is made.
const DIFF_SIZE: usize = 4 << 20;
/// The time after which a diff becomes coarser.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// A difference as shown to people, without terminal control characters.
///
/// Long parts are cut with a note.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// A refresh, with its reason.
    Refresh(String),
    /// Both sides, each on one line; values are quoted.
    Values {
        /// The current value.
        before: String,
        /// The declared value.
        after: String,
    },
    /// The lines of a unified diff, without file names.
    Lines(Vec<Line>),
}

/// A line of a unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The kind of the line.
    pub kind: LineKind,
    /// The text with its sign, without a line break.
    pub text: String,
}

/// The kind of a line in a unified diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// A header with the position of the following lines.
    Hunk,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// A context line.
    Same,
    /// A note about the diff itself.
    Note,
}

/// Writes the line with its sign, such as `+new`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Renders a difference for people.
///
/// ```
/// use converge_core::engine::Difference;
/// use converge_core::view::render::{Shown, difference};
///
/// let mode = Difference::new("mode", "0644", "0600");
/// let Shown::Values { before, after } = difference(&mode) else { panic!("they are on one line") };
/// assert_eq!(format!("{}: {before} => {after}", mode.name), r#"mode: "0644" => "0600""#);
///
/// let content = Difference::new("content", "one\ntwo\n", "one\nthree\n");
/// let Shown::Lines(lines) = difference(&content) else { panic!("they have lines") };
/// let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
/// assert_eq!(lines, ["@@ -1,2 +1,2 @@", " one", "-two", "+three"]);
/// ```
pub fn difference(difference: &Difference) -> Shown {
    let [before, after] = [&difference.before, &difference.after].map(DiffValue::to_string);
    if difference.refresh {
        return Shown::Refresh(sanitize_line(&after).into_owned());
    }
    if !(has_lines(&before) || has_lines(&after)) {
        let skip = equal_start(&before, &after);
        return Shown::Values {
            before: value(&difference.before, skip),
            after: value(&difference.after, skip),
        };
    }
    if before.len() + after.len() > DIFF_SIZE {
        return Shown::Values { before: size(&before), after: size(&after) };
    }
    Shown::Lines(unified(&before, &after))
}

/// Whether the text has several lines; a final newline does not count.
fn has_lines(text: &str) -> bool {
    text.strip_suffix('\n').unwrap_or(text).contains('\n')
}

fn size(text: &str) -> String {
    format!("{} bytes in {} lines", text.len(), text.lines().count())
}

/// Returns the number of equal characters at the start that are left out of long values.
fn equal_start(before: &str, after: &str) -> usize {
    let fits = |text: &str| text.chars().count() <= VALUE_LENGTH;
    if fits(before) && fits(after) {
        return 0;
    }
    let count = before.chars().zip(after.chars()).take_while(|(a, b)| a == b).count();
    count.saturating_sub(LEAD)
}

/// Returns a truncated value in quotes; a placeholder for a value is not quoted.
fn value(value: &DiffValue, skip: usize) -> String {
    let DiffValue::Known(text) = value else { return sanitize_line(&value.to_string()).into_owned() };
    let mut rest = text.chars().skip(skip);
    let excerpt: String = rest.by_ref().take(VALUE_LENGTH).collect();
    let before = if skip > 0 { "..." } else { "" };
    let after = match rest.count() {
        0 => String::new(),
        more => format!("... ({more} more characters)"),
    };
    format!("{before}{excerpt:?}{after}")
}

/// Returns a unified diff in the format of `diff -u`, without file names.
fn unified(before: &str, after: &str) -> Vec<Line> {
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(before, after);
    let mut lines = Vec::new();
    let mut add = |kind, text| lines.push(Line { kind, text });
    let (mut changes, mut cut) = (0, 0);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if changes < LINES {
            add(LineKind::Hunk, hunk.header().to_string());
        }
        for change in hunk.iter_changes() {
            changes += 1;
            if changes > LINES {
                cut += 1;
                continue;
            }
            let line = line(change.value());
            match change.tag() {
                ChangeTag::Insert => add(LineKind::Added, format!("+{line}")),
                ChangeTag::Delete => add(LineKind::Removed, format!("-{line}")),
                ChangeTag::Equal => add(LineKind::Same, format!(" {line}")),
            }
            if change.missing_newline() {
                add(LineKind::Note, "\\ no newline at the end".to_owned());
            }
        }
    }
    if cut > 0 {
        add(LineKind::Note, format!("... {cut} more lines"));
    }
    lines
}

/// Returns a sanitized and truncated line without its end.
///
/// Tabs stay, because they show how the file looks.
fn line(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let mut rest = text.chars();
    let excerpt: String = rest.by_ref().take(LINE_LENGTH).collect();
    let excerpt = sanitize(&excerpt);
    match rest.count() {
        0 => excerpt.into_owned(),
        more => format!("{excerpt}... ({more} more characters)"),
    }
}
