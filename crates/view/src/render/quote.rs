//! Quoted parts of source files with secrets redacted.

use std::borrow::Cow;
use std::ops::Range;

use crate::diagnostic::{SourceFile, SourceMap};
use crate::redact::REDACTED;

/// A quoted part of a file.
pub(super) struct Quote<'a> {
    pub(super) text: Cow<'a, str>,
    /// The byte offset of the quote in the file.
    start: usize,
    /// The redacted ranges of the file, with the ranges of their marks in the text.
    marks: Vec<(Range<usize>, Range<usize>)>,
}

impl<'a> Quote<'a> {
    /// Quotes a byte range of a file, which must be at character boundaries.
    pub(super) fn new(file: &'a SourceFile, sources: &SourceMap, window: &Range<usize>) -> Self {
        let source = file.text();
        let mut quote =
            Self { text: Cow::Borrowed(&source[window.clone()]), start: window.start, marks: Vec::new() };
        let hidden = sources.hidden_in(file, window.clone());
        if hidden.is_empty() {
            return quote;
        }
        let (mut text, mut end) = (String::new(), window.start);
        // Each line is redacted separately, so that line numbers stay correct.
        for range in hidden.iter().flat_map(|range| lines(source, range)) {
            text.push_str(&source[end..range.start]);
            let start = text.len();
            text.push_str(REDACTED);
            end = range.end;
            quote.marks.push((range, start..text.len()));
        }
        text.push_str(&source[end..window.end]);
        quote.text = Cow::Owned(text);
        quote
    }

    /// Whether visible text remains, and this position of the file has not moved within its line.
    pub(super) fn has_place(&self, offset: usize) -> bool {
        let place = self.place(offset, |mark| mark.start);
        let line = self.text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        let is_before =
            |(hidden, mark): &(Range<usize>, Range<usize>)| mark.end > line && hidden.start < offset;
        let moved = self.marks.iter().any(is_before);
        !moved && !self.text.replace(REDACTED, "").trim().is_empty()
    }

    /// Returns the range in the text for a range of the file.
    ///
    /// A range that starts or ends in redacted text includes the whole mark.
    pub(super) fn range(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.place(range.start, |mark| mark.start);
        start..self.place(range.end, |mark| mark.end).max(start)
    }

    fn place(&self, offset: usize, inside: impl Fn(&Range<usize>) -> usize) -> usize {
        let before = self.marks.partition_point(|(hidden, _)| hidden.end <= offset);
        match (self.marks.get(before), before.checked_sub(1).and_then(|last| self.marks.get(last))) {
            (Some((hidden, mark)), _) if hidden.start < offset => inside(mark),
            (_, Some((hidden, mark))) => mark.end + (offset - hidden.end),
            (_, None) => offset - self.start,
        }
    }
}

/// Returns the parts of a range on each of its lines.
fn lines(text: &str, range: &Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut offset = range.start;
    let lines = text[range.clone()].split('\n').map(move |line| {
        let start = offset;
        offset += line.len() + 1;
        start..start + line.len()
    });
    lines.filter(|line| !line.is_empty())
}
