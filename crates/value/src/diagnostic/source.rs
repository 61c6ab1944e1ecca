//! Source files, positions in them, and the conversion of byte offsets to lines and columns.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};

use crate::redact::Redactor;

/// The id of a file in a [`SourceMap`]. Ids say nothing about the order of the files.
///
/// The id is never zero, so that an optional span takes no more memory: a graph has very many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(NonZeroU32);

/// Serialized ids begin at zero.
#[cfg(feature = "serde")]
impl Serialize for FileId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(self.0.get() - 1)
    }
}

impl FileId {
    #[doc(hidden)]
    pub const FIRST: Self = Self(NonZeroU32::MIN);

    /// Returns the id after this one, or `None` after the last.
    #[doc(hidden)]
    pub const fn next(self) -> Option<Self> {
        match self.0.checked_add(1) {
            Some(next) => Some(Self(next)),
            None => None,
        }
    }
}

/// A range of bytes in one source file: `start` is the first byte, `end` is one past the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Span {
    /// The file of the span.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset of the byte after the last.
    pub end: u32,
}

impl Span {
    /// Creates a span over `start..end`. Offsets fit because sources are limited to 16 MiB.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { file, start: narrow(start), end: narrow(end.max(start)) }
    }

    /// Returns the span as a range of byte offsets.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the smallest span that covers both; `other` must be in the same file.
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position as a line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A text with its name, which several maps can share.
#[doc(hidden)]
pub struct NamedText {
    name: Box<str>,
    text: Arc<str>,
    /// The offsets of the line starts, computed on first use because most runs report no position.
    line_starts: OnceLock<Box<[u32]>>,
}

impl NamedText {
    #[doc(hidden)]
    pub fn new(name: &str, text: Arc<str>) -> Self {
        Self { name: name.into(), text, line_starts: OnceLock::new() }
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let newlines = self.text.match_indices('\n');
            std::iter::once(0)
                .chain(newlines.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
                .collect()
        })
    }

    #[doc(hidden)]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Returns the number of lines.
    #[doc(hidden)]
    pub fn lines(&self) -> usize {
        self.line_starts().len()
    }
}

/// Omits the text, which is long and may contain secrets.
impl fmt::Debug for NamedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, {} lines", self.name, self.lines())
    }
}

/// A source text with its name and line starts.
pub struct SourceFile {
    named: Arc<NamedText>,
    /// The ranges of the text that must not be shown.
    hidden: Vec<Range<usize>>,
}

/// Omits the text, which is long and may contain secrets.
impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?})", self.named)
    }
}

impl SourceFile {
    /// Returns the name for messages, usually the path as the user gave it.
    pub fn name(&self) -> &str {
        &self.named.name
    }

    /// Returns the whole text.
    pub fn text(&self) -> &Arc<str> {
        &self.named.text
    }

    /// Returns the line and column of a byte offset; an offset past the end gives the end.
    pub fn position(&self, offset: usize) -> Position {
        let (text, line_starts) = (&self.named.text, self.named.line_starts());
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = line_starts.partition_point(|&start| start as usize <= offset);
        let start = line_starts.get(line.wrapping_sub(1)).map_or(0, |&start| start as usize);
        // A byte order mark is not a column.
        let before = text[start..offset].trim_start_matches('\u{feff}');
        Position { line, column: before.chars().count() + 1 }
    }
}

/// The source files of a load, from which diagnostics quote the text of their [`Span`]s.
///
/// Places that were [hidden](Self::hide) and secrets that the [`Redactor`] finds are never quoted.
#[derive(Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    /// The position of each file in `files`, by its id.
    places: BTreeMap<FileId, usize>,
    redactor: Redactor,
}

/// Omits the ids.
impl fmt::Debug for SourceMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceMap")
            .field("files", &self.files)
            .field("redactor", &self.redactor)
            .finish_non_exhaustive()
    }
}

impl SourceMap {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty map for files that may contain the secrets of `redactor`.
    pub fn with_redactor(redactor: Redactor) -> Self {
        Self { redactor, ..Self::default() }
    }

    /// Returns the redactor for the secrets in these files.
    pub fn redactor(&self) -> &Redactor {
        &self.redactor
    }

    /// Hides a span, so that its text is never shown.
    pub fn hide(&mut self, span: Span) {
        if let Some(file) = self.place(span.file).and_then(|place| self.files.get_mut(place)) {
            file.hidden.push(span.range());
        }
    }

    /// Returns the parts of a range that must not be quoted: whole characters, in order, not touching.
    ///
    /// Use this to show source text by other means than `view::render`.
    pub fn hidden_in(&self, file: &SourceFile, quoted: Range<usize>) -> Vec<Range<usize>> {
        let Some(text) = file.text().get(quoted.clone()) else { return vec![quoted] };
        let inside = |hidden: &Range<usize>| hidden.start.max(quoted.start)..hidden.end.min(quoted.end);
        let mut hidden: Vec<_> =
            file.hidden.iter().map(inside).filter(|range| range.start < range.end).collect();
        let secrets = self.redactor.find(text).into_iter();
        hidden.extend(secrets.map(|range| range.start + quoted.start..range.end + quoted.start));
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

    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl AsRef<str>, text: impl Into<Arc<str>>) -> FileId {
        let id = self.next_id();
        self.insert(id, Arc::new(NamedText::new(name.as_ref(), text.into())));
        id
    }

    /// Returns an unused id.
    #[doc(hidden)]
    pub fn next_id(&self) -> FileId {
        match self.places.last_key_value() {
            Some((last, _)) => last.next().unwrap_or(*last),
            None => FileId::FIRST,
        }
    }

    /// Adds a file under an unused id. None of its text is hidden.
    #[doc(hidden)]
    pub fn insert(&mut self, id: FileId, text: Arc<NamedText>) {
        self.places.insert(id, self.files.len());
        self.files.push(SourceFile { named: text, hidden: Vec::new() });
    }

    /// Returns the position of a file in the order in which files were added.
    fn place(&self, id: FileId) -> Option<usize> {
        self.places.get(&id).copied()
    }

    /// Whether the map has a file with this id.
    #[doc(hidden)]
    pub fn has(&self, id: FileId) -> bool {
        self.places.contains_key(&id)
    }

    /// Returns a key that sorts spans by the order of their files, and within a file by offset.
    #[doc(hidden)]
    pub fn order(&self, span: Span) -> impl Ord + use<> {
        (self.place(span.file), span.start, span.end)
    }

    /// Returns all files in the order in which they were added.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// Returns the file with an id from this map.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(self.place(id)?)
    }

    /// Returns the text of a span; empty for a span of another map.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).and_then(|file| file.text().get(span.range())).unwrap_or("")
    }

    /// Returns the position at which a span begins.
    pub fn position(&self, span: Span) -> Position {
        self.file(span.file)
            .map_or(Position { line: 1, column: 1 }, |file| file.position(span.start as usize))
    }

    /// Returns the start of a span as `file:line:column`.
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

    #[test]
    fn a_place_that_may_be_missing_takes_no_more_room() {
        assert_eq!(size_of::<Option<Span>>(), size_of::<Span>());
    }

    #[test]
    fn files_are_in_the_order_in_which_they_were_added() {
        let mut map = SourceMap::new();
        let text = |name: &str| Arc::new(NamedText::new(name, "text".into()));
        let id = |number| FileId(NonZeroU32::new(number).unwrap());
        for (number, name) in [(7, "a"), (3, "b"), (u32::MAX - 1, "c"), (1, "d")] {
            map.insert(id(number), text(name));
        }
        let names: Vec<_> = map.files().map(SourceFile::name).collect();
        assert_eq!(names, ["a", "b", "c", "d"]);
        assert_eq!(map.file(id(3)).map(SourceFile::name), Some("b"));
        assert_eq!((map.place(id(1)), map.place(id(2))), (Some(3), None));
        let last = map.add("e", "");
        assert_eq!(map.file(last).map(SourceFile::name), Some("e"));
    }
}
