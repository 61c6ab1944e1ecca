//! The tree of a YAML text, with the byte range of each part.
//!
//! This module owns what is YAML 1.2. Its users decide what a word without quotes means, and which tags, anchors and keys
//! they understand.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

/// The tag of a text.
const TEXT: &str = "tag:yaml.org,2002:str";

/// A node of the tree. Two nodes are equal if they are written alike, wherever they are.
#[derive(Debug)]
pub struct Node {
    /// The offset of the first byte. A collection in block style starts at its first part.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
    /// The line of the first byte, counted from 1.
    pub line: usize,
    /// The number of the anchor (`&`) before the node, or 0 if there is none.
    pub anchor: usize,
    /// The tag (`!`) before the node.
    pub tag: Option<String>,
    /// The value of the node.
    pub kind: Kind,
}

/// The value of a node.
#[derive(Debug, PartialEq)]
pub enum Kind {
    /// A word or a text.
    Scalar {
        /// The text without its quotes and escapes.
        text: String,
        /// The way in which the text is written.
        style: Style,
    },
    /// An alias of the anchor with this number.
    Alias(usize),
    /// The items of a list.
    List(Vec<Node>),
    /// The keys of a map, each with its value.
    Map(Vec<(Node, Node)>),
}

/// The way in which a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No quotes.
    Plain,
    /// Single quotes.
    Single,
    /// Double quotes.
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
    pub fn is_marked(&self) -> bool {
        self.anchor > 0 || self.tag.is_some()
    }

    /// Whether the node has the same anchor and tag as another one.
    pub fn has_marks_of(&self, other: &Self) -> bool {
        (self.anchor, &self.tag) == (other.anchor, &other.tag)
    }

    /// Whether the node is written as nothing, which means null.
    pub fn is_empty(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain } if text.is_empty())
    }

    /// Whether the node means null.
    pub fn is_null(&self) -> bool {
        matches!(&self.kind, Kind::Scalar { text, style: Style::Plain } if is_null(text))
    }

    /// Whether the tag of the node says that it is a text.
    pub fn is_tagged_text(&self) -> bool {
        self.tag.as_deref() == Some(TEXT)
    }

    /// Whether the node is a scalar with this text.
    pub fn is_key(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Scalar { text, .. } if text == name)
    }
}

/// Whether a word without quotes means null.
pub fn is_null(word: &str) -> bool {
    matches!(word, "" | "~" | "null" | "Null" | "NULL")
}

/// The reason why a text has no tree.
#[derive(Debug)]
pub struct YamlError {
    /// The byte range of the part that the error is about.
    pub range: Range<usize>,
    /// The line of the part, counted from 1.
    pub line: usize,
    /// The kind of the error.
    pub kind: YamlErrorKind,
}

/// The kind of a [`YamlError`], with its message.
#[derive(Debug)]
pub enum YamlErrorKind {
    /// The text is not YAML, with the message of the parser.
    Syntax(String),
    /// There are more levels of nesting than this number.
    TooDeep(usize),
    /// A key has no value, or there is something else than a value.
    NoValue,
    /// A map has a key twice.
    DuplicateKey(String),
}

impl fmt::Display for YamlErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) => f.write_str(message),
            Self::TooDeep(levels) => write!(f, "there are more than {levels} levels of nesting"),
            Self::NoValue => f.write_str("a value is missing"),
            Self::DuplicateKey(key) => write!(f, "the key `{key}` is written twice"),
        }
    }
}

/// The position of a parser event.
struct Place {
    start: usize,
    end: usize,
    line: usize,
}

impl Place {
    fn error(&self, kind: YamlErrorKind) -> YamlError {
        YamlError { range: self.start..self.end, line: self.line, kind }
    }
}

/// The documents of a text.
pub struct Documents<'t> {
    parser: Parser<'t, StrInput<'t>>,
    bytes: Bytes<'t>,
    max_depth: usize,
}

impl<'t> Documents<'t> {
    /// Returns the documents of a text, whose values are nested in at most this number of levels.
    pub fn new(text: &'t str, max_depth: usize) -> Self {
        Self { parser: Parser::new_from_str(text), bytes: Bytes::new(text), max_depth }
    }

    /// Returns the next document, or `None` at the end of the text. After an error there are no more.
    pub fn next_document(&mut self) -> Result<Option<Node>, YamlError> {
        while let Some((event, place)) = self.next()? {
            match event {
                Event::StreamStart
                | Event::StreamEnd
                | Event::DocumentStart(_)
                | Event::DocumentEnd
                | Event::Nothing => {}
                event => return self.node(event, &place, 0).map(Some),
            }
        }
        Ok(None)
    }

    fn next(&mut self) -> Result<Option<(Event<'t>, Place)>, YamlError> {
        let Some(next) = self.parser.next_event() else { return Ok(None) };
        let (event, span) = next.map_err(|error: ScanError| {
            let offset = self.bytes.of_char(error.marker().index());
            YamlError {
                range: offset..offset,
                line: self.bytes.line(error.marker().line()),
                kind: YamlErrorKind::Syntax(error.info().to_owned()),
            }
        })?;
        let place = Place {
            start: self.bytes.of_char(span.start.index()),
            end: self.bytes.of_char(span.end.index()),
            line: span.start.line(),
        };
        Ok(Some((event, place)))
    }

    fn node(&mut self, event: Event<'t>, place: &Place, depth: usize) -> Result<Node, YamlError> {
        if depth > self.max_depth {
            return Err(place.error(YamlErrorKind::TooDeep(self.max_depth)));
        }
        let (kind, anchor, tag, end) = match event {
            Event::Scalar(text, style, anchor, tag) => {
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
                (Kind::Scalar { text: text.into_owned(), style }, anchor, tag, end)
            }
            Event::Alias(anchor) => (Kind::Alias(anchor), 0, None, place.end),
            Event::SequenceStart(anchor, tag) => {
                let (items, end) = self.list(depth)?;
                let end = self.end(place, end, items.last());
                (Kind::List(items), anchor, tag, end)
            }
            Event::MappingStart(anchor, tag) => {
                let (entries, end) = self.map(depth)?;
                let end = self.end(place, end, entries.last().map(|(_, value)| value));
                (Kind::Map(entries), anchor, tag, end)
            }
            _ => return Err(place.error(YamlErrorKind::NoValue)),
        };
        let tag = tag.map(|tag: Cow<'_, Tag>| format!("{}{}", tag.handle, tag.suffix));
        let Place { start, line, .. } = *place;
        Ok(Node { start, end: end.max(start), line, anchor, tag, kind })
    }

    /// Returns the end of a collection: after its bracket, or at the end of its last part.
    fn end(&self, place: &Place, end: usize, last: Option<&Node>) -> usize {
        match last {
            _ if self.bytes.text[place.start..].starts_with(['[', '{']) => end,
            Some(last) => last.end,
            None => place.start,
        }
    }

    fn list(&mut self, depth: usize) -> Result<(Vec<Node>, usize), YamlError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                None => return Ok((items, self.bytes.text.len())),
                Some((Event::SequenceEnd, place)) => return Ok((items, place.end)),
                Some((event, place)) => items.push(self.node(event, &place, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<(Vec<(Node, Node)>, usize), YamlError> {
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
                return Err(place.error(YamlErrorKind::DuplicateKey(text.clone())));
            }
            let Some((event, place)) = self.next()? else {
                return Err(place.error(YamlErrorKind::NoValue));
            };
            let mut value = self.node(event, &place, depth + 1)?;
            if value.is_empty() && !value.is_marked() {
                // For an empty value, the parser reports the position where it noticed that, which may be
                // lines below.
                let offset = behind_colon(self.bytes.text, key.end).unwrap_or(key.end);
                (value.start, value.end) = (offset, offset);
            }
            entries.push((key, value));
        }
    }
}

/// Returns the offset after the next colon, if only white space precedes that colon.
pub fn behind_colon(text: &str, offset: usize) -> Option<usize> {
    let rest = text[offset..].trim_start();
    rest.starts_with(':').then(|| text.len() - rest.len() + 1)
}

/// An index from character numbers, which the parser counts, to bytes.
struct Bytes<'t> {
    text: &'t str,
    /// The byte offset of each character whose number is a multiple of [`STEP`].
    steps: Vec<usize>,
}

const STEP: usize = 16;

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
