//! Parser for the lines of an INI file.

use crate::file::edit::lines::Line;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'t> {
    /// An empty line or a comment.
    BlankOrComment,
    Section(&'t str),
    Entry(Entry<'t>),
    /// A continuation of the value before.
    Continuation,
}

/// A key with its value, and the separator between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    pub(super) indent: &'t str,
    pub(super) key: &'t str,
    /// Spaces, `=` or `:`, and spaces again; empty for a key alone.
    pub(super) between: &'t str,
    pub(super) value: &'t str,
}

/// Returns the kind of each line.
///
/// # Errors
///
/// Returns an error if a line is of no known kind.
pub(super) fn kinds<'t>(lines: &[Line<'t>]) -> Result<Vec<Kind<'t>>, String> {
    let mut kinds: Vec<Kind<'t>> = Vec::with_capacity(lines.len());
    // `of_entry`: the line before belongs to an entry; `goes_on`: it ends in a backslash.
    let (mut of_entry, mut goes_on) = (false, false);
    for (index, line) in lines.iter().enumerate() {
        let (body, trimmed) = (line.body, line.body.trim());
        let is_indented = body.starts_with([' ', '\t']);
        let kind = if goes_on && is_indented && !trimmed.is_empty() {
            Kind::Continuation
        } else if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            Kind::BlankOrComment
        } else if trimmed.starts_with('[') && !(of_entry && is_indented) {
            let name = section(trimmed);
            Kind::Section(
                name.ok_or_else(|| refused(index, "begins with `[` and is not a section", trimmed))?,
            )
        } else {
            match entry(body) {
                Some(entry) if !entry.between.is_empty() => Kind::Entry(entry),
                _ if of_entry && (is_indented || goes_on) => Kind::Continuation,
                Some(entry) if !entry.key.contains([' ', '\t']) => Kind::Entry(entry),
                _ => return Err(refused(index, "is neither a section, nor a key, nor a comment", trimmed)),
            }
        };
        of_entry = match kind {
            Kind::Entry(_) | Kind::Continuation => true,
            Kind::Section(_) => false,
            // A comment between the lines of a value does not end it.
            Kind::BlankOrComment => of_entry && !trimmed.is_empty(),
        };
        goes_on = matches!(kind, Kind::Entry(_) | Kind::Continuation) && trimmed.ends_with('\\');
        kinds.push(kind);
    }
    Ok(kinds)
}

fn refused(index: usize, reason: &str, line: &str) -> String {
    const SHOWN: usize = 40;
    let excerpt: String = line.chars().take(SHOWN).collect();
    let suffix = if excerpt.len() < line.len() { ".." } else { "" };
    format!("it is not an INI file: line {} {reason}: {excerpt:?}{suffix}", index + 1)
}

/// Returns the name of a section: `[name]` or `[ name ]`, possibly with a comment after it.
pub(super) fn section(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = rest.trim();
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(['\n', '\r']);
    (is_name && (rest.is_empty() || rest.starts_with(['#', ';']))).then_some(name)
}

/// Returns the key and value of a line, or `None` if it has no key.
pub(super) fn entry(line: &str) -> Option<Entry<'_>> {
    let trimmed = line.trim_start();
    let indent = line.strip_suffix(trimmed).unwrap_or_default();
    if trimmed.starts_with(['[', '#', ';']) || trimmed.contains(['\n', '\r']) {
        return None;
    }
    let Some(offset) = separator(trimmed) else {
        let key = trimmed.trim_end();
        return (!key.is_empty()).then_some(Entry { indent, key, between: "", value: "" });
    };
    let (before, after) = trimmed.split_at(offset);
    let key = before.trim_end();
    // The separator is one byte.
    let value = after.get(1..)?.trim();
    let from = key.len();
    let to = if value.is_empty() { trimmed.len() } else { offset + 1 + after.get(1..)?.find(value)? };
    (!key.is_empty()).then_some(Entry { indent, key, between: trimmed.get(from..to)?, value })
}

/// Returns the position of the `=`, or of a `:` before it.
///
/// A `:` directly before other text is part of the key, as in `C:\data` and `a::b`.
fn separator(line: &str) -> Option<usize> {
    let mut bytes = line.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        let next = bytes.peek().map(|(_, next)| *next);
        match byte {
            b'=' => return Some(at),
            b':' if next.is_none_or(|next| next == b' ' || next == b'\t') => return Some(at),
            _ => {}
        }
    }
    None
}
