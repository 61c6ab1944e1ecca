//! Heredocs, with the end and indentation rules of HCL 1.

use std::ops::Range;

use super::characters::{is_name_part, is_name_start};
use super::error::SyntaxErrorKind;
use super::literal_piece::{Piece, verbatim};

struct Opening<'a> {
    marker: &'a str,
    /// Whether the heredoc begins with `<<-`.
    indented: bool,
    /// The offset after the opening line.
    content: usize,
}

/// Parses the opening line.
///
/// An error holds the length of an invalid marker, which is missing or followed by text.
fn opening(raw: &str) -> Result<Opening<'_>, usize> {
    let indented = raw.starts_with("<<-");
    let start = if indented { 3 } else { 2 };
    let rest = raw.get(start..).unwrap_or("");
    let length = rest
        .find(|c| !(is_name_start(c) || is_name_part(c) && !matches!(c, '-' | '.')))
        .unwrap_or(rest.len());
    let (marker, after) = rest.split_at(length);
    let line_end = ["\n", "\r\n"].into_iter().find(|end| after.starts_with(end));
    match line_end {
        Some(end) if !marker.is_empty() => {
            Ok(Opening { marker, indented, content: start + length + end.len() })
        }
        _ => Err((start + length).min(raw.len())),
    }
}

/// Returns the length of the heredoc at the start of `rest`, including the closing marker.
///
/// As in HCL 1, the first line that *ends* with the marker closes it. An error holds the length of the
/// invalid text.
pub(super) fn scan_heredoc(rest: &str) -> Result<usize, (usize, SyntaxErrorKind)> {
    let opening = opening(rest).map_err(|length| (length, SyntaxErrorKind::HeredocMarker))?;
    let mut offset = opening.content;
    for line in rest[offset..].split_inclusive('\n') {
        let text = line.strip_suffix("\r\n").or(line.strip_suffix('\n')).unwrap_or(line);
        if text.ends_with(opening.marker) {
            return Ok(offset + text.len());
        }
        offset += line.len();
    }
    let first_line = rest.lines().next().unwrap_or("").len();
    Err((first_line, SyntaxErrorKind::UnclosedHeredoc { marker: opening.marker.to_owned() }))
}

/// Emits the pieces of the heredoc's text in order.
pub(super) fn pieces(raw: &str, mut emit: impl FnMut(Piece)) {
    let Ok(opening) = opening(raw) else { return };
    let end = raw.len().saturating_sub(opening.marker.len()).max(opening.content);
    let Some(content) = raw.get(opening.content..end) else { return };
    if !opening.indented {
        return verbatim(raw, opening.content..end, &mut emit);
    }
    // HCL 1 removes the text before the closing marker from each line, if all lines begin with it.
    let indent = &content[content.rfind('\n').map_or(0, |offset| offset + 1)..];
    if !content.split('\n').all(|line| line.starts_with(indent)) {
        let length = content.trim_end_matches([' ', '\t']).len();
        return verbatim(raw, opening.content..opening.content + length, &mut emit);
    }
    let mut offset = opening.content;
    for line in content.split_inclusive('\n') {
        if line.ends_with('\n') {
            verbatim(raw, offset + indent.len()..offset + line.len(), &mut emit);
        }
        offset += line.len();
    }
}

/// Returns the empty lines because of which `<<-` heredocs in a value keep their indentation.
///
/// The first such line of each heredoc counts.
pub fn uneven_empty_lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut offset = 0;
    while let Some(start) = text.get(offset..).and_then(|rest| rest.find("<<")).map(|at| offset + at) {
        let rest = &text[start..];
        let Ok(length) = scan_heredoc(rest) else {
            offset = start + 2;
            continue;
        };
        lines.extend(uneven_empty_line(&rest[..length]).map(|line| start + line.start..start + line.end));
        offset = start + length;
    }
    lines
}

fn uneven_empty_line(raw: &str) -> Option<Range<usize>> {
    let opening = opening(raw).ok().filter(|opening| opening.indented)?;
    let content = raw.get(opening.content..raw.len().checked_sub(opening.marker.len())?)?;
    let indent = &content[content.rfind('\n').map_or(0, |offset| offset + 1)..];
    let mut offset = opening.content;
    let mut uneven = None;
    for line in content.split_inclusive('\n') {
        let is_uneven = !line.starts_with(indent);
        if is_uneven && !line.trim_end().is_empty() {
            return None;
        }
        if is_uneven && uneven.is_none() {
            uneven = Some(offset..offset + line.len());
        }
        offset += line.len();
    }
    uneven
}
