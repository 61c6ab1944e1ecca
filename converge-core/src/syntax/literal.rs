//! The text that a string or a heredoc stands for, and the way back from it to what is written.
//!
//! Positions in strings are computed when they are needed: a template keeps offsets in its decoded text, and the way
//! back to the file decodes the literal again. Only errors pay for it.

use std::borrow::Cow;
use std::ops::Range;

use super::literal_piece::Piece;
use super::{heredoc, quoted_string};

fn pieces(raw: &str, emit: impl FnMut(Piece)) {
    if raw.starts_with('"') { quoted_string::pieces(raw, emit) } else { heredoc::pieces(raw, emit) }
}

/// What is between the quotes of a string in which every byte stands for itself.
fn plain(raw: &str) -> Option<&str> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let bytes = inner.as_bytes();
    (!bytes.contains(&b'\\') && !bytes.contains(&b'\r')).then_some(inner)
}

/// The text of a literal, quotes or heredoc markers included in `raw`.
pub(crate) fn decode(raw: &str) -> Cow<'_, str> {
    if let Some(inner) = plain(raw) {
        return Cow::Borrowed(inner);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    pieces(raw, |piece| bytes.extend_from_slice(piece.text(raw)));
    // Escapes that do not make UTF-8 were refused before; nothing else can bring other bytes in.
    let text = String::from_utf8(bytes);
    Cow::Owned(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
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
    if let Some(inner) = plain(raw) {
        let place = |offset: usize| offset.min(inner.len()) + 1;
        let range = |part: &Range<usize>| place(part.start)..place(part.end.max(part.start));
        return decoded.iter().map(range).collect();
    }
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
