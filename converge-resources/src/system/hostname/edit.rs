//! Edits of the host name in `/etc/hostname` and `/etc/machine-info`.

use crate::file::edit::lines::{self, Line};

/// The prefix of the line with the pretty name.
const PRETTY: &str = "PRETTY_HOSTNAME=";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edited {
    /// The previous effective value.
    pub(super) before: Option<String>,
    pub(super) text: String,
}

/// Puts the name into the text of `/etc/hostname`, in the place of the first line that is no comment.
///
/// The first such line is the effective one.
pub(super) fn name(text: &str, name: &str) -> Edited {
    let is_name = |line: &Line<'_>| {
        let body = line.body.trim();
        !body.is_empty() && !body.starts_with('#')
    };
    let all_lines = lines::lines(text);
    let index = all_lines.iter().position(is_name);
    let before = index.and_then(|index| all_lines.get(index)).map(|line| line.body.trim().to_owned());
    put(all_lines, text, index, before, Some(name), name)
}

/// Puts the pretty name into the text of `/etc/machine-info`, in the place of the last line with one.
///
/// An empty name removes all such lines.
pub(super) fn pretty(text: &str, pretty: &str) -> Edited {
    let mut all_lines = lines::lines(text);
    let is_mine = |line: &Line<'_>| line.body.trim_start().starts_with(PRETTY);
    let index = all_lines.iter().rposition(is_mine);
    let value = index.and_then(|index| all_lines.get(index)?.body.trim().strip_prefix(PRETTY));
    let before = value.map(unquoted);
    if pretty.is_empty() {
        all_lines.retain(|line| !is_mine(line));
        return Edited { before, text: lines::text(all_lines) };
    }
    put(all_lines, text, index, before, Some(pretty), &format!("{PRETTY}{}", quoted(pretty)))
}

/// Puts `line` in the place of the line `at`, or at the end.
///
/// The text stays unchanged if the value is already the wanted one.
fn put<'t>(
    mut all: Vec<Line<'t>>,
    text: &str,
    at: Option<usize>,
    before: Option<String>,
    wanted: Option<&str>,
    line: &'t str,
) -> Edited {
    if before.as_deref() == wanted {
        return Edited { before, text: text.to_owned() };
    }
    if let Some(place) = at.and_then(|index| all.get_mut(index)) {
        place.body = line;
    } else {
        let (end, ending) = (all.len(), lines::ending(&all));
        lines::insert(&mut all, end, [line], ending);
    }
    Edited { before, text: lines::text(all) }
}

/// Quotes a value for a shell file.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        if "\"\\$`".contains(char) {
            quoted.push('\\');
        }
        quoted.push(char);
    }
    quoted + "\""
}

/// Removes the quotes of a word, which is all that systemd accepts.
fn unquoted(value: &str) -> String {
    let strip_quotes = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    if let Some(inner) = strip_quotes('\'') {
        return inner.to_owned();
    }
    let mut text = String::new();
    let mut chars = strip_quotes('"').unwrap_or(value).chars();
    while let Some(char) = chars.next() {
        text.extend(if char == '\\' { chars.next() } else { Some(char) });
    }
    text
}
