//! The tree of a YAML text, with the byte range of each part.

use std::collections::BTreeSet;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput};

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 100;

/// A node of the tree. Two nodes are equal if they are written alike, wherever they are.
#[derive(Debug)]
pub(super) struct Node {
    /// The offset of the first byte. A collection in block style starts at its first part.
    pub(super) start: usize,
    /// The offset after the last byte.
    pub(super) end: usize,
    pub(super) line: usize,
    /// The anchor (`&`) and tag (`!`) before the node.
    marks: Marks,
    pub(super) kind: Kind,
}

#[derive(Debug, PartialEq, Eq)]
struct Marks {
    /// The number of the anchor, or 0 if there is none.
    anchor: usize,
    tag: Option<String>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Scalar {
        text: String,
        style: Style,
    },
    /// An alias of the anchor with this number.
    Alias(usize),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    /// Lines below a `|` or `>`. The range from the parser starts at the lines, without that character.
    Block,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.has_marks_of(other) && self.kind == other.kind
    }
}

impl Node {
    /// Whether the node has an anchor or a tag.
    pub(super) fn is_marked(&self) -> bool {
        self.marks.anchor > 0 || self.marks.tag.is_some()
    }

    pub(super) fn has_marks_of(&self, other: &Self) -> bool {
        self.marks == other.marks
    }

    /// Whether the node is written as nothing, which means null.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain } if text.is_empty())
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain } if is_null(text))
    }

    pub(super) fn is_key(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Scalar { text, .. } if text == name)
    }
}

/// Whether a word without quotes means null.
pub(super) fn is_null(word: &str) -> bool {
    matches!(word, "" | "~" | "null" | "Null" | "NULL")
}

/// Parses the only document of a text, or returns `None` if the text has no content.
///
/// # Errors
///
/// Returns an error if the text is not YAML, or has several documents.
pub(super) fn parse(text: &str) -> Result<Option<Node>, String> {
    let mut reader = Reader { parser: Parser::new_from_str(text), bytes: Bytes::new(text) };
    let mut root = None;
    while let Some((event, place)) = reader.next()? {
        match event {
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::Nothing => {}
            _ if root.is_some() => {
                return Err(format!("there is a second document in line {}: only one is edited", place.line));
            }
            event => root = Some(reader.node(event, &place, 0)?),
        }
    }
    Ok(root)
}

fn refused(line: usize, reason: &str) -> String {
    format!("it is not YAML: line {line}: {reason}")
}

/// The position of a parser event.
struct Place {
    start: usize,
    end: usize,
    line: usize,
}

struct Reader<'t> {
    parser: Parser<'t, StrInput<'t>>,
    bytes: Bytes<'t>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<Option<(Event<'t>, Place)>, String> {
        let Some(next) = self.parser.next_event() else { return Ok(None) };
        let (event, span) =
            next.map_err(|error: ScanError| refused(self.bytes.line(error.marker().line()), error.info()))?;
        let place = Place {
            start: self.bytes.of_char(span.start.index()),
            end: self.bytes.of_char(span.end.index()),
            line: span.start.line(),
        };
        Ok(Some((event, place)))
    }

    fn node(&mut self, event: Event<'t>, place: &Place, depth: usize) -> Result<Node, String> {
        if depth > MAX_DEPTH {
            return Err(refused(place.line, &format!("there are more than {MAX_DEPTH} levels of nesting")));
        }
        let tag = |tag: Option<std::borrow::Cow<'_, saphyr_parser::Tag>>| {
            tag.map(|tag| format!("{}{}", tag.handle, tag.suffix))
        };
        let (kind, anchor, tag, end) = match event {
            Event::Scalar(text, style, anchor, marked) => {
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                let end = match style {
                    Style::Single | Style::Double => {
                        self.bytes.behind_quote(place.start).unwrap_or(place.end)
                    }
                    Style::Plain | Style::Block => self.bytes.trimmed(place.start, place.end),
                };
                (Kind::Scalar { text: text.into_owned(), style }, anchor, tag(marked), end)
            }
            Event::Alias(anchor) => (Kind::Alias(anchor), 0, None, place.end),
            Event::SequenceStart(anchor, marked) => {
                let (items, end) = self.list(depth)?;
                let end = self.end(place, end, items.last());
                (Kind::List(items), anchor, tag(marked), end)
            }
            Event::MappingStart(anchor, marked) => {
                let (entries, end) = self.map(depth)?;
                let end = self.end(place, end, entries.last().map(|(_, value)| value));
                (Kind::Map(entries), anchor, tag(marked), end)
            }
            _ => return Err(refused(place.line, "a value is missing")),
        };
        let Place { start, line, .. } = *place;
        Ok(Node { start, end: end.max(start), line, marks: Marks { anchor, tag }, kind })
    }

    /// Returns the end of a collection: after its bracket, or at the end of its last part.
    fn end(&self, place: &Place, end: usize, last: Option<&Node>) -> usize {
        match last {
            _ if self.bytes.text[place.start..].starts_with(['[', '{']) => end,
            Some(last) => last.end,
            None => place.start,
        }
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node>, usize), String> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                None => return Ok((items, self.bytes.text.len())),
                Some((Event::SequenceEnd, place)) => return Ok((items, place.end)),
                Some((event, place)) => items.push(self.node(event, &place, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<(Vec<(Node, Node)>, usize), String> {
        let mut entries = Vec::new();
        let mut names = BTreeSet::new();
        loop {
            let (event, place) = match self.next()? {
                None => return Ok((entries, self.bytes.text.len())),
                Some((Event::MappingEnd, place)) => return Ok((entries, place.end)),
                Some(next) => next,
            };
            let key = self.node(event, &place, depth + 1)?;
            if let Kind::Scalar { text, .. } = &key.kind
                && !names.insert(text.clone())
            {
                return Err(format!("line {}: the key {text:?} is written twice", key.line));
            }
            let Some((event, place)) = self.next()? else {
                return Err(refused(key.line, "a value is missing"));
            };
            let mut value = self.node(event, &place, depth + 1)?;
            if value.is_empty() && !value.is_marked() {
                // For an empty value, the parser reports the position where it noticed that, which may be
                // lines below.
                let offset = self.bytes.behind_colon(key.end).unwrap_or(key.end);
                (value.start, value.end) = (offset, offset);
            }
            entries.push((key, value));
        }
    }
}

/// Returns the offset after the next colon, if only white space precedes that colon.
pub(super) fn behind_colon(text: &str, offset: usize) -> Option<usize> {
    let rest = text[offset..].trim_start();
    rest.starts_with(':').then(|| text.len() - rest.len() + 1)
}

/// An index from character numbers, which the parser counts, to bytes.
struct Bytes<'t> {
    text: &'t str,
    /// The byte offset of each character whose number is a multiple of [`STEP`].
    steps: Vec<usize>,
}

const STEP: usize = 128;

impl<'t> Bytes<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, steps: text.char_indices().step_by(STEP).map(|(byte, _)| byte).collect() }
    }

    /// Returns the offset of a line as the parser counts them. A text may end in the line after the last.
    fn line(&self, number: usize) -> usize {
        number.min(self.text.lines().count().max(1))
    }

    fn of_char(&self, number: usize) -> usize {
        let Some(step) = self.steps.get(number / STEP) else { return self.text.len() };
        let rest = self.text[*step..].char_indices().nth(number % STEP);
        rest.map_or(self.text.len(), |(byte, _)| step + byte)
    }

    /// Returns the offset after the next colon, if only white space precedes that colon.
    fn behind_colon(&self, offset: usize) -> Option<usize> {
        behind_colon(self.text, offset)
    }

    /// Returns the offset after the closing quote.
    ///
    /// The parser's range also includes white space and a comment after the quote.
    fn behind_quote(&self, start: usize) -> Option<usize> {
        let quoted = &self.text[start..];
        let quote = quoted.chars().next()?;
        let mut chars = quoted.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            let is_escape = match quote {
                '"' => c == '\\',
                _ => c == quote && chars.peek().is_some_and(|(_, next)| *next == quote),
            };
            if is_escape {
                chars.next();
            } else if c == quote {
                return Some(start + at + 1);
            }
        }
        None
    }

    /// Returns the end of a range without the white space at its end.
    fn trimmed(&self, start: usize, end: usize) -> usize {
        self.text.get(start..end).map_or(end, |slice| start + slice.trim_end().len())
    }
}
