//! The syntactic context of an offset, found from the tokens before it.
//!
//! Tokens are used because text that is being typed is often incomplete and does not parse.

use std::ops::Range;

use super::name_uses::mask_key;
use crate::syntax::{Lexer, TokenKind, decode};

/// The syntactic context of an offset: the enclosing constructs, outermost first, and the spot itself.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Cursor {
    pub(super) frames: Vec<Frame>,
    pub(super) spot: Spot,
}

/// A construct that is still open at an offset.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Frame {
    /// A block with its head.
    Block {
        kind: String,
        labels: Vec<String>,
        /// The offset at which its head begins.
        start: usize,
    },
    /// The value of the named item.
    Value(String),
    /// A `{ .. }` value.
    Map,
    /// A `[ .. ]` value.
    List,
    /// A call `name( .. )`; the name of plain parentheses is empty.
    Call(String),
}

/// The kind of position that an offset is at.
#[derive(Debug, Default, PartialEq)]
pub(super) enum Spot {
    /// A position where the name of an item is, or can be.
    Item(Range<usize>),
    /// Inside the quotes of a label.
    Label {
        kind: String,
        /// The labels before this one.
        before: Vec<String>,
        /// The range between the quotes.
        range: Range<usize>,
    },
    /// A word of a value: the path typed before the cursor, and the range of the word.
    Word { path: String, range: Range<usize> },
    /// Inside a string or a heredoc that begins at `start`.
    Text { start: usize, is_quoted: bool, end: usize },
    /// A position without completions, such as in a comment or after a value.
    #[default]
    Nothing,
}

/// The position of the scan within an item.
enum State {
    /// The name of an item may follow.
    Item,
    /// After the name of an item and possibly some labels.
    Head { start: usize, kind: String, labels: Vec<String> },
    /// A value; `begun` says whether any of it was read.
    Value { begun: bool },
}

struct Scan<'t> {
    text: &'t str,
    offset: usize,
    frames: Vec<Frame>,
    state: State,
    /// The end of the last token.
    end: usize,
    /// Whether the last token could end a value, and the word that it was.
    after_operand: bool,
    word: Option<Range<usize>>,
}

/// Scans the tokens from `from`, where an item of the file begins, up to `offset`.
pub(super) fn cursor(text: &str, from: usize, offset: usize) -> Cursor {
    let mut scan = Scan {
        text,
        offset,
        frames: Vec::new(),
        state: State::Item,
        end: from,
        after_operand: false,
        word: None,
    };
    let mut lexer = Lexer::new(text, from);
    loop {
        let token = lexer.next_token();
        let first_on_line = token.first_on_line;
        if token.kind == TokenKind::End || token.range.start >= offset {
            // The cursor may stand directly before a token.
            return scan.between();
        }
        let is_open = match token.kind {
            TokenKind::Name | TokenKind::Number => token.range.end >= offset,
            TokenKind::Quoted => {
                let raw = text.get(token.range.clone()).unwrap_or_default();
                let is_closed = raw.len() > 1 && raw.ends_with('"') && !raw.ends_with("\\\"");
                token.range.end > offset || (token.range.end == offset && !is_closed)
            }
            TokenKind::Heredoc => token.range.end > offset,
            TokenKind::Symbol(_) | TokenKind::End => false,
        };
        if is_open {
            return scan.inside(token.kind, token.range, first_on_line);
        }
        scan.take(token.kind, token.range, first_on_line);
    }
}

impl Scan<'_> {
    fn slice(&self, range: &Range<usize>) -> &str {
        self.text.get(range.clone()).unwrap_or_default()
    }

    /// Returns the text of a name or a quoted string.
    fn name(&self, kind: TokenKind, range: &Range<usize>) -> String {
        let raw = self.slice(range);
        if kind == TokenKind::Quoted { decode(raw).into_owned() } else { raw.to_owned() }
    }

    /// Closes a value that ends with its line.
    fn end_of_line(&mut self) {
        if matches!(self.frames.last(), Some(Frame::Value(_)))
            && matches!(self.state, State::Value { begun: true })
        {
            self.frames.pop();
            self.state = State::Item;
        }
    }

    fn after_close(&mut self) {
        self.state = match self.frames.last() {
            Some(Frame::Value(_) | Frame::List | Frame::Call(_)) => State::Value { begun: true },
            _ => State::Item,
        };
    }

    fn take(&mut self, kind: TokenKind, range: Range<usize>, first_on_line: bool) {
        if first_on_line {
            self.end_of_line();
        }
        let before = std::mem::replace(&mut self.state, State::Item);
        let word = (kind == TokenKind::Name).then(|| range.clone());
        match before {
            State::Item => self.take_in_body(kind, &range),
            State::Head { start, kind: head, mut labels } => match kind {
                TokenKind::Symbol('=' | ':') => {
                    self.frames.push(Frame::Value(head));
                    self.state = State::Value { begun: false };
                }
                TokenKind::Symbol('{') => self.frames.push(Frame::Block { kind: head, labels, start }),
                TokenKind::Name | TokenKind::Quoted if !first_on_line => {
                    labels.push(self.name(kind, &range));
                    self.state = State::Head { start, kind: head, labels };
                }
                _ => self.take_in_body(kind, &range),
            },
            State::Value { begun } => self.take_in_value(kind, &range, begun),
        }
        self.after_operand = !matches!(kind, TokenKind::Symbol(c) if !matches!(c, ')' | ']' | '}'));
        self.end = range.end;
        self.word = word;
    }

    fn take_in_body(&mut self, kind: TokenKind, range: &Range<usize>) {
        match kind {
            TokenKind::Name | TokenKind::Quoted => {
                let head = self.name(kind, range);
                let is_loop = head == "for" && matches!(self.frames.last(), Some(Frame::Map));
                if is_loop {
                    // `{for k, v in map : k => v}` is one expression, not a block.
                    self.frames.pop();
                    self.frames.push(Frame::Call(String::new()));
                    self.state = State::Value { begun: true };
                } else {
                    self.state = State::Head { start: range.start, kind: head, labels: Vec::new() };
                }
            }
            TokenKind::Symbol('}') => {
                self.frames.pop();
                self.after_close();
            }
            TokenKind::Symbol('(') => {
                self.frames.push(Frame::Call(String::new()));
                self.state = State::Value { begun: false };
            }
            _ => {}
        }
    }

    fn take_in_value(&mut self, kind: TokenKind, range: &Range<usize>, is_begun: bool) {
        self.state = State::Value { begun: true };
        match kind {
            TokenKind::Symbol('[') => {
                self.frames.push(Frame::List);
                self.state = State::Value { begun: false };
            }
            TokenKind::Symbol('(') => {
                let word = self.word.clone().filter(|word| word.end == range.start);
                let function = word.map(|word| self.slice(&word).to_owned()).unwrap_or_default();
                self.frames.push(Frame::Call(function));
                self.state = State::Value { begun: false };
            }
            TokenKind::Symbol('{') => {
                self.frames.push(Frame::Map);
                self.state = State::Item;
            }
            TokenKind::Symbol(']') => self.close(|frame| matches!(frame, Frame::List)),
            TokenKind::Symbol(')') => self.close(|frame| matches!(frame, Frame::Call(_))),
            TokenKind::Symbol('}') => {
                // Closes a `for` loop, a value in a map or a block, or frames that were left open inside one.
                self.close(|frame| match frame {
                    Frame::Map | Frame::Block { .. } => true,
                    Frame::Call(function) => function.is_empty(),
                    Frame::Value(_) | Frame::List => false,
                });
            }
            TokenKind::Symbol(',') => {
                if matches!(self.frames.last(), Some(Frame::Value(_))) {
                    self.frames.pop();
                    self.state = State::Item;
                } else {
                    self.state = State::Value { begun: false };
                }
            }
            _ => self.state = State::Value { begun: is_begun || kind != TokenKind::End },
        }
    }

    /// Closes the innermost frame that matches, and every frame left open inside it.
    fn close(&mut self, is_it: impl Fn(&Frame) -> bool) {
        if let Some(depth) = self.frames.iter().rposition(is_it) {
            self.frames.truncate(depth);
            self.after_close();
        }
    }

    /// Returns the context when the cursor is between two tokens.
    fn between(mut self) -> Cursor {
        let gap = self.text.get(self.end..self.offset).unwrap_or_default();
        if is_in_comment(gap) {
            return Cursor { frames: self.frames, spot: Spot::Nothing };
        }
        let line_ended = gap.contains('\n');
        if line_ended {
            self.end_of_line();
        }
        let empty_range = self.offset..self.offset;
        let spot = match &self.state {
            State::Item => Spot::Item(empty_range),
            State::Head { .. } if line_ended => Spot::Item(empty_range),
            State::Head { .. } => Spot::Nothing,
            // Only an operator can follow an operand, but a path that ends with a dot continues.
            State::Value { .. } => match self.path(self.offset) {
                (path, start) if !path.is_empty() => Spot::Word { path, range: start..self.offset },
                _ if self.after_operand => Spot::Nothing,
                _ => Spot::Word { path: String::new(), range: empty_range },
            },
        };
        Cursor { frames: self.frames, spot }
    }

    /// Returns the context when the cursor is inside a token.
    fn inside(mut self, kind: TokenKind, range: Range<usize>, first_on_line: bool) -> Cursor {
        if first_on_line && kind == TokenKind::Name {
            self.end_of_line();
        }
        let spot = match (kind, &self.state) {
            (TokenKind::Name, State::Item) => Spot::Item(range),
            (TokenKind::Name, State::Head { .. }) if first_on_line => Spot::Item(range),
            (TokenKind::Quoted, State::Head { kind, labels, .. }) => {
                let is_closed = self.slice(&range).len() > 1 && self.slice(&range).ends_with('"');
                let range = range.start + 1..range.end - usize::from(is_closed);
                Spot::Label { kind: kind.clone(), before: labels.clone(), range }
            }
            (TokenKind::Name, State::Value { .. }) => {
                let (path, start) = self.path(self.offset);
                Spot::Word { path, range: start..range.end }
            }
            (TokenKind::Quoted | TokenKind::Heredoc, State::Value { .. }) => {
                Spot::Text { start: range.start, is_quoted: kind == TokenKind::Quoted, end: range.end }
            }
            _ => Spot::Nothing,
        };
        Cursor { frames: self.frames, spot }
    }

    /// Returns the path of names, dots and keys directly before an offset, and the offset where it begins.
    ///
    /// Computed keys are masked.
    fn path(&self, offset: usize) -> (String, usize) {
        let before = self.text.get(..offset).unwrap_or_default();
        let mut start = offset;
        let mut computed = Vec::new();
        loop {
            let rest = before.get(..start).unwrap_or_default();
            let word =
                rest.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'));
            let end = word.len();
            start = end;
            if let Some(open) = written_key(word) {
                start = open;
            } else if let Some(open) = computed_key(word) {
                start = open;
                computed.push(open..end);
            } else {
                break;
            }
        }
        let mut path = before.get(start..).unwrap_or_default().to_owned();
        for key in computed {
            let key = key.start - start..key.end - start;
            let masked_key = mask_key(path.get(key.clone()).unwrap_or_default());
            path.replace_range(key, &masked_key);
        }
        // Leading operators do not belong to the name.
        let skipped = path.len() - path.trim_start_matches(['-', '/', '.']).len();
        (path.split_off(skipped), start + skipped)
    }
}

/// Returns the start of the quoted key that ends the text.
fn written_key(text: &str) -> Option<usize> {
    let inner = text.strip_suffix("\"]")?;
    let open = inner.rfind("[\"")?;
    (!inner.get(open..)?.contains('\n')).then_some(open)
}

/// Returns the start of the computed key that ends the text, if it is on one line and follows a name.
fn computed_key(text: &str) -> Option<usize> {
    let line = text.get(text.rfind('\n').map_or(0, |end| end + 1)..)?;
    let mut open = 0_u32;
    if !line.ends_with(']') {
        return None;
    }
    for (position, byte) in line.bytes().enumerate().rev() {
        match byte {
            b']' => open += 1,
            b'[' if open == 1 => {
                let before = line.get(..position)?;
                let follows_name = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
                return follows_name.then_some(text.len() - line.len() + position);
            }
            b'[' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Whether a comment is still open at the end of the text between two tokens.
fn is_in_comment(gap: &str) -> bool {
    let mut rest = gap;
    while let Some(position) = rest.find(['#', '/']) {
        let comment = rest.get(position..).unwrap_or_default();
        let end = if comment.starts_with("/*") {
            comment.find("*/").map(|end| end + 2)
        } else {
            comment.find('\n')
        };
        match end {
            Some(end) => rest = comment.get(end..).unwrap_or_default(),
            None => return true,
        }
    }
    false
}
