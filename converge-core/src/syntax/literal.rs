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
    let (mut start, mut end) = (None, None);
    let mut at = 0;
    let mut last = None;
    pieces(raw, |piece| {
        let length = piece.text(raw).len();
        let within = |offset: usize| if piece.decoded.is_some() { 0 } else { offset };
        if start.is_none() && decoded.start < at + length {
            start = Some(piece.raw.start + within(decoded.start.saturating_sub(at)));
        }
        if end.is_none() && decoded.end <= at + length && decoded.end > at {
            let short = length - (decoded.end - at);
            end = Some(piece.raw.end - within(short));
        }
        at += length;
        last = Some(piece.raw.end);
    });
    let last = last.unwrap_or_else(|| usize::from(raw.starts_with('"')).min(raw.len()));
    let start = start.unwrap_or(last);
    if decoded.end <= decoded.start { start..start } else { start..end.unwrap_or(last).max(start) }
}
