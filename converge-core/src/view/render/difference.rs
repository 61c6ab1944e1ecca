//! One difference: two values on a line, or a unified diff of texts.

use std::fmt;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::sanitize::{sanitize, sanitize_line};
use crate::engine::Difference;
use crate::sdk::status::DiffValue;

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

/// A difference as people are shown it. Nothing in it controls a terminal, what is long is cut, and it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// It stands for a refresh: what for.
    Refresh(String),
    /// Both sides, each on one line; values stand in quotes.
    Values {
        /// What is.
        before: String,
        /// What is declared.
        after: String,
    },
    /// The lines of a unified diff, without the names of files.
    Lines(Vec<Line>),
}

/// One line of a unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// What it is.
    pub kind: LineKind,
    /// The line, with its sign and without an end.
    pub text: String,
}

/// What a line of a unified diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// It says where in the text the next lines are.
    Hunk,
    /// It is added.
    Added,
    /// It is taken away.
    Removed,
    /// It is around a change.
    Same,
    /// It is about the diff.
    Note,
}

/// The line as it is written, such as `+new`.
impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A difference as people are shown it.
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
