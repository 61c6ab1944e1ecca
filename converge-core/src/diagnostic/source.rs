//! Source files, positions in them, and the way from a byte offset to a line and column.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::redact::Redactor;

/// Names one file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct FileId(u32);

/// A range of bytes in one source file: `start` is the first byte, `end` is one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset of the byte after the last.
    pub end: u32,
}

impl Span {
    /// A span over `start..end`. Offsets fit because sources are limited to 16 MiB.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { file, start: narrow(start), end: narrow(end.max(start)) }
    }

    /// The span as a range of byte offsets.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest span that covers both; `other` must be of the same file.
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A place as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One source text with its name and line starts.
pub struct SourceFile {
    name: String,
    text: Arc<str>,
    line_starts: Vec<u32>,
    /// The stretches of the text that are not shown.
    hidden: Vec<Range<usize>>,
}

/// Leaves out the text: it is long, and there may be secrets in it.
impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?}, {} lines)", self.name, self.line_starts.len())
    }
}

impl SourceFile {
    /// The name that messages show: usually the path as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Line and column of a byte offset; an offset past the end gives the end.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_starts.partition_point(|&start| start as usize <= offset);
        let start = self.line_starts.get(line.wrapping_sub(1)).map_or(0, |&start| start as usize);
        // A byte order mark has no width.
        let before = self.text[start..offset].trim_start_matches('\u{feff}');
        Position { line, column: before.chars().count() + 1 }
    }
}

/// All source files of a load. Diagnostics hold [`Span`]s; this gives them back their text.
///
/// Nothing that may not be shown is quoted from them: neither the places that were [hidden](Self::hide), nor what the
/// [`Redactor`] finds.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    redactor: Redactor,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty map of files in which there may be these secrets.
    pub fn with_redactor(redactor: Redactor) -> Self {
        Self { files: Vec::new(), redactor }
    }

    /// The secrets of whatever these files are the source of.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Hides a place: what is written there is not shown, whatever it is.
    pub fn hide(&mut self, span: Span) {
        if let Some(file) = self.files.get_mut(span.file.0 as usize) {
            file.hidden.push(span.range());
        }
    }

    /// Where a stretch of a file must not be quoted: whole characters, in order, none touching another. For those who show
    /// source text by other means than `view::render`.
    pub fn hidden_in(&self, file: &SourceFile, quoted: Range<usize>) -> Vec<Range<usize>> {
        let Some(text) = file.text.get(quoted.clone()) else { return vec![quoted] };
        let inside = |hidden: &Range<usize>| hidden.start.max(quoted.start)..hidden.end.min(quoted.end);
        let mut hidden: Vec<_> =
            file.hidden.iter().map(inside).filter(|range| range.start < range.end).collect();
        let found = self.redactor.find(text).into_iter();
        hidden.extend(found.map(|range| range.start + quoted.start..range.end + quoted.start));
        hidden.sort_unstable_by_key(|range| (range.start, range.end));
        hidden.dedup_by(|next, before| {
            let touches = next.start <= before.end;
            if touches {
                before.end = before.end.max(next.end);
            }
            touches
        });
        hidden
    }

    /// Adds a file and gives its id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text = text.into();
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
            .collect();
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(SourceFile { name: name.into(), text, line_starts, hidden: Vec::new() });
        id
    }

    /// All files, in the order in which they were added.
    pub(crate) fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The file of an id that this map gave out.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The text that a span covers; empty for a span of another map.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|file| file.text.get(span.range())).unwrap_or("")
    }

    /// Where a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.file(span.file)
            .map_or(Position { line: 1, column: 1 }, |file| file.position(span.start as usize))
    }

    /// `file:line:column` of where a span begins.
    pub fn location(&self, span: Span) -> String {
        let name = self.file(span.file).map_or("?", SourceFile::name);
        let Position { line, column } = self.position(span);
        format!("{name}:{line}:{column}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let mut map = SourceMap::new();
        let file = map.add("a.hcl", "ab\néx\n");
        let check = |at, line, column| {
            assert_eq!(map.position(Span::new(file, at, at)), Position { line, column }, "offset {at}");
        };
        check(0, 1, 1);
        check(2, 1, 3);
        check(3, 2, 1);
        check(5, 2, 2);
        check(7, 3, 1);
        check(99, 3, 1);
        assert_eq!(map.location(Span::new(file, 5, 6)), "a.hcl:2:2");
    }
}
