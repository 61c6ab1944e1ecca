//! The decoded text of strings and heredocs, and the mapping from it back to the source.
//!
//! Positions in strings are computed on demand. A template keeps offsets in its decoded text, and the mapping
//! decodes the literal again. Only errors pay for that.

use std::borrow::Cow;
use std::ops::Range;

use super::literal_piece::Piece;
use super::{heredoc, quoted_string};

fn pieces(raw: &str, emit: impl FnMut(Piece)) {
    if raw.starts_with('"') { quoted_string::pieces(raw, emit) } else { heredoc::pieces(raw, emit) }
}

/// Returns the text between the quotes of a string if no byte of it needs decoding.
fn plain(raw: &str) -> Option<&str> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let bytes = inner.as_bytes();
    (!bytes.contains(&b'\\') && !bytes.contains(&b'\r')).then_some(inner)
}

/// Decodes a literal.
///
/// `raw` includes the quotes or heredoc markers.
#[doc(hidden)]
pub fn decode(raw: &str) -> Cow<'_, str> {
    if let Some(inner) = plain(raw) {
        return Cow::Borrowed(inner);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    pieces(raw, |piece| bytes.extend_from_slice(piece.text(raw)));
    // Cannot fail: escapes that do not form UTF-8 were refused before, and all other bytes are valid.
    let text = String::from_utf8(bytes);
    Cow::Owned(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Maps a range of the decoded text of a literal to the source.
///
/// `raw` is the string or heredoc in the file, including quotes and markers. `decoded` is a byte range in its
/// decoded text. The result is a byte range in `raw`, which accounts for escapes, indentation removed by
/// `<<-`, and CRLF. A range that ends inside an escape covers the whole escape. A range that is out of bounds
/// ends at the end of the text.
///
/// ```
/// let raw = r#""a\n{{x}}""#;
/// let range = converge_core::syntax::literal_range(raw, 2..7);
/// assert_eq!(&raw[range], "{{x}}");
/// ```
pub fn literal_range(raw: &str, decoded: Range<usize>) -> Range<usize> {
    literal_ranges(raw, std::slice::from_ref(&decoded)).pop().unwrap_or_default()
}

/// Maps several ranges of one literal to the source; see [`literal_range`].
///
/// The literal is read once, so the cost for a long literal does not grow with each range.
#[doc(hidden)]
pub fn literal_ranges(raw: &str, decoded: &[Range<usize>]) -> Vec<Range<usize>> {
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
    let mut bounds = vec![(None, None); decoded.len()];
    let mut position = 0;
    let mut last = None;
    pieces(raw, |piece| {
        let length = piece.text(raw).len();
        let raw_offset = |offset: usize| if piece.decoded.is_some() { 0 } else { offset };
        while let Some(&part) = next_start.next_if(|&&part| decoded[part].start < position + length) {
            bounds[part].0 = Some(piece.raw.start + raw_offset(decoded[part].start - position));
        }
        while let Some(&part) = next_end.next_if(|&&part| decoded[part].end <= position + length) {
            // A range that ends at the start of a piece does not reach into it.
            if let Some(inside) = decoded[part].end.checked_sub(position).filter(|inside| *inside > 0) {
                bounds[part].1 = Some(piece.raw.end - raw_offset(length - inside));
            }
        }
        position += length;
        last = Some(piece.raw.end);
    });
    let last = last.unwrap_or_else(|| usize::from(raw.starts_with('"')).min(raw.len()));
    let range = |(part, (start, end)): (&Range<usize>, (Option<usize>, Option<usize>))| {
        let start = start.unwrap_or(last);
        if part.end <= part.start { start..start } else { start..end.unwrap_or(last).max(start) }
    };
    decoded.iter().zip(bounds).map(range).collect()
}
