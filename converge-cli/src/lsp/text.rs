//! Texts of an editor: positions and edits.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The encoding in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    /// The default of the protocol.
    #[default]
    Utf16,
}

impl Encoding {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
        }
    }
}

/// A position between two characters, with line and column from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) line: u32,
    pub(super) character: u32,
}

/// A range between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Span {
    pub(super) start: Position,
    pub(super) end: Position,
}

/// A text with the offsets of its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    text: String,
    /// The offset of each line; the first is 0.
    starts: Vec<usize>,
}

/// Returns whether a line other than the first begins at an offset; CR LF is one line end.
fn begins_line(bytes: &[u8], offset: usize) -> bool {
    match bytes.get(offset.wrapping_sub(1)) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(offset) != Some(&b'\n'),
        _ => false,
    }
}

fn line_starts(text: &str, from: usize, to: usize) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    (from..=to).filter(move |&offset| begins_line(bytes, offset))
}

impl Text {
    pub(super) fn new(text: String) -> Self {
        let starts = std::iter::once(0).chain(line_starts(&text, 1, text.len())).collect();
        Self { text, starts }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the offset and the content of a line, without its line end.
    fn line(&self, line: usize) -> Option<(usize, &str)> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end)?;
        let text = text.strip_suffix('\n').unwrap_or(text);
        Some((start, text.strip_suffix('\r').unwrap_or(text)))
    }

    /// Returns the offset of a position.
    ///
    /// A position behind the end of a line or of the text is that end. A position within a character is the
    /// start of the character.
    pub(super) fn offset(&self, Position { line, character }: Position, encoding: Encoding) -> usize {
        let Some((start, text)) = self.line(line as usize) else { return self.text.len() };
        let column = character as usize;
        let offset = match encoding {
            Encoding::Utf8 => text.floor_char_boundary(column.min(text.len())),
            Encoding::Utf16 => {
                let mut units = 0;
                let fits = |(_, c): &(usize, char)| {
                    units += c.len_utf16();
                    units > column
                };
                text.char_indices().find(fits).map_or(text.len(), |(at, _)| at)
            }
        };
        start + offset
    }

    pub(super) fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        let column = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 => before.encode_utf16().count(),
        };
        let narrow = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: narrow(line), character: narrow(column) }
    }

    pub(super) fn span(&self, range: &Range<usize>, encoding: Encoding) -> Span {
        Span { start: self.position(range.start, encoding), end: self.position(range.end, encoding) }
    }

    pub(super) fn range(&self, span: Span, encoding: Encoding) -> Range<usize> {
        let (start, end) = (self.offset(span.start, encoding), self.offset(span.end, encoding));
        start.min(end)..end.max(start)
    }

    /// Replaces a range by a new text; only the lines around it are scanned again.
    pub(super) fn replace(&mut self, range: Range<usize>, new: &str) {
        let first = self.starts.partition_point(|start| *start < range.start).saturating_sub(1);
        // The replacement can turn the byte after it into the end of a line, or the opposite.
        let after = self.starts.partition_point(|start| *start <= range.end + 1);
        let moved = |start: usize| start - range.end + range.start + new.len();
        let tail: Vec<usize> =
            self.starts.get(after..).unwrap_or_default().iter().map(|start| moved(*start)).collect();
        self.text.replace_range(range.clone(), new);
        self.starts.truncate(first + 1);
        let from = self.starts.last().copied().unwrap_or_default() + 1;
        let to = tail.first().map_or(self.text.len(), |next| next - 1);
        self.starts.extend(line_starts(&self.text, from, to));
        self.starts.extend(tail);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = Text::new("aé\u{1f600}b\r\nc\rd\n".to_owned());
        let check = |position: Position, encoding: Encoding, offset: usize| {
            assert_eq!(text.offset(position, encoding), offset, "{position:?} {encoding:?}");
        };
        check(at(0, 2), Encoding::Utf16, 3);
        check(at(0, 4), Encoding::Utf16, 7);
        check(at(0, 3), Encoding::Utf8, 3);
        check(at(0, 7), Encoding::Utf8, 7);
        check(at(1, 0), Encoding::Utf16, 10);
        check(at(2, 1), Encoding::Utf16, 13);
        check(at(3, 0), Encoding::Utf16, 14);
        assert_eq!(text.position(7, Encoding::Utf16), at(0, 4));
        assert_eq!(text.position(7, Encoding::Utf8), at(0, 7));
        assert_eq!(text.position(12, Encoding::Utf16), at(2, 0));
    }

    #[test]
    fn places_that_are_none_are_the_nearest() {
        let text = Text::new("a\u{1f600}\nb".to_owned());
        let check = |position: Position, encoding: Encoding, offset: usize| {
            assert_eq!(text.offset(position, encoding), offset, "{position:?} {encoding:?}");
        };
        // This position is between the two surrogates of a character.
        check(at(0, 2), Encoding::Utf16, 1);
        check(at(0, 3), Encoding::Utf8, 1);
        check(at(0, 99), Encoding::Utf16, 5);
        check(at(99, 0), Encoding::Utf16, 7);
        check(at(u32::MAX, u32::MAX), Encoding::Utf8, 7);
        assert_eq!(text.range(Span { start: at(1, 1), end: at(0, 0) }, Encoding::Utf16), 0..7);
    }

    proptest! {
        #[test]
        fn after_edits_lines_are_where_they_are(
            text in "[a\r\n\u{1f600}]{0,20}",
            edits in prop::collection::vec((0usize..24, 0usize..24, "[b\r\n]{0,4}"), 0..8),
        ) {
            let mut edited = Text::new(text);
            for (start, end, new) in edits {
                let floor = |at: usize| edited.text.floor_char_boundary(at.min(edited.text.len()));
                let (start, end) = (floor(start), floor(end));
                edited.replace(start.min(end)..end.max(start), &new);
                prop_assert_eq!(&edited, &Text::new(edited.text.clone()));
            }
        }

        #[test]
        fn a_place_and_its_offset_are_one(text in "[a\r\n\u{e9}\u{1f600}]{0,20}", at in 0usize..30) {
            let text = Text::new(text);
            let offset = text.text.floor_char_boundary(at.min(text.text.len()));
            // A position within a line end is not valid.
            let is_within_end = text.text.as_bytes().get(offset.wrapping_sub(1)) == Some(&b'\r')
                && text.text.as_bytes().get(offset) == Some(&b'\n');
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let actual = text.offset(text.position(offset, encoding), encoding);
                prop_assert_eq!(actual, if is_within_end { offset - 1 } else { offset });
            }
        }
    }
}
