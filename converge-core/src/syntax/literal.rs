//! The text that a string or a heredoc stands for, and the way back from it to what is written.

use std::ops::Range;
use std::sync::Arc;

use super::{heredoc, quoted};

/// A part of a literal: some bytes as written, and the bytes they stand for.
pub(super) struct Piece {
    /// The bytes in the literal.
    raw: Range<usize>,
    /// The bytes they stand for, when these are not the same.
    decoded: Option<([u8; 4], usize)>,
}

impl Piece {
    pub(super) fn byte(raw: Range<usize>, byte: u8) -> Self {
        Self { raw, decoded: Some(([byte, 0, 0, 0], 1)) }
    }

    pub(super) fn char(raw: Range<usize>, c: char) -> Self {
        let mut bytes = [0; 4];
        let length = c.encode_utf8(&mut bytes).len();
        Self { raw, decoded: Some((bytes, length)) }
    }

    /// The decoded bytes.
    pub(super) fn text<'a>(&'a self, raw: &'a str) -> &'a [u8] {
        match &self.decoded {
            Some((bytes, length)) => &bytes[..*length],
            None => &raw.as_bytes()[self.raw.clone()],
        }
    }
}

/// Gives a range that stands for itself, except that CRLF is LF, as everywhere in HCL 1.
pub(super) fn verbatim(raw: &str, range: Range<usize>, emit: &mut impl FnMut(Piece)) {
    let mut from = range.start;
    while let Some(found) = raw[from..range.end].find("\r\n") {
        if found > 0 {
            emit(Piece { raw: from..from + found, decoded: None });
        }
        emit(Piece::byte(from + found..from + found + 2, b'\n'));
        from += found + 2;
    }
    if from < range.end {
        emit(Piece { raw: from..range.end, decoded: None });
    }
}

fn pieces(raw: &str, emit: impl FnMut(Piece)) {
    if raw.starts_with('"') { quoted::pieces(raw, emit) } else { heredoc::pieces(raw, emit) }
}

/// The text of a literal, quotes or heredoc markers included in `raw`.
pub(super) fn decode(raw: &str) -> Arc<str> {
    if let Some(inner) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
        && !inner.contains(['\\', '\r'])
    {
        return inner.into();
    }
    let mut bytes = Vec::with_capacity(raw.len());
    pieces(raw, |piece| bytes.extend_from_slice(piece.text(raw)));
    // Escapes that do not make UTF-8 were refused before; nothing else can bring other bytes in.
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
        .into()
}

/// Where a part of the text of a literal is written.
///
/// `raw` is the string or heredoc as it stands in the file, quotes and markers included; `decoded` is a
/// range of bytes in the text it stands for. The result is a range of bytes in `raw`, through escapes, the
/// indentation that `<<-` takes off, and CRLF. A range that ends inside an escape covers all of the escape;
/// one that is out of bounds ends at the end of the text.
///
/// ```
/// let raw = r#""a\n{{x}}""#;
/// let range = converge_core::syntax::literal_range(raw, 2..7);
/// assert_eq!(&raw[range], "{{x}}");
/// ```
pub fn literal_range(raw: &str, decoded: Range<usize>) -> Range<usize> {
    literal_ranges(raw, std::slice::from_ref(&decoded)).pop().unwrap_or_default()
}

/// Where several parts of the text of one literal are written; see [`literal_range`]. The literal is read once, so a
/// long one with many templates takes no longer for each of them.
pub(crate) fn literal_ranges(raw: &str, decoded: &[Range<usize>]) -> Vec<Range<usize>> {
    let in_order = |key: fn(&Range<usize>) -> usize| {
        let mut order: Vec<usize> = (0..decoded.len()).collect();
        order.sort_by_key(|&part| key(&decoded[part]));
        order
    };
    let (by_start, by_end) = (in_order(|part| part.start), in_order(|part| part.end));
    let (mut next_start, mut next_end) = (by_start.iter().peekable(), by_end.iter().peekable());
    let mut found = vec![(None, None); decoded.len()];
    let mut at = 0;
    let mut last = None;
    pieces(raw, |piece| {
        let length = piece.text(raw).len();
        let within = |offset: usize| if piece.decoded.is_some() { 0 } else { offset };
        while let Some(&part) = next_start.next_if(|&&part| decoded[part].start < at + length) {
            found[part].0 = Some(piece.raw.start + within(decoded[part].start - at));
        }
        while let Some(&part) = next_end.next_if(|&&part| decoded[part].end <= at + length) {
            // An end at the very start is the end of nothing.
            if let Some(inside) = decoded[part].end.checked_sub(at).filter(|inside| *inside > 0) {
                found[part].1 = Some(piece.raw.end - within(length - inside));
            }
        }
        at += length;
        last = Some(piece.raw.end);
    });
    let last = last.unwrap_or_else(|| usize::from(raw.starts_with('"')).min(raw.len()));
    let range = |(part, (start, end)): (&Range<usize>, (Option<usize>, Option<usize>))| {
        let start = start.unwrap_or(last);
        if part.end <= part.start { start..start } else { start..end.unwrap_or(last).max(start) }
    };
    decoded.iter().zip(found).map(range).collect()
}
