//! The masked copy: each item of a module in a form that an HCL 2 parser reads, byte for byte as long.
//!
//! Names become plain names, literals become strings of `x` or zeros, comments become spaces, and one
//! byte of the space between two items becomes a line end. A map becomes a list in which names and values
//! alternate, because the parser compares every key of a map with every other. What an item means is read
//! from the original text, so nothing of it has to survive but its shape.
//!
//! What is wrong is found here, where the exact place is known. A wrong item is blanked out, so that the
//! others are still read.

use std::borrow::Cow;
use std::ops::Range;

use super::error::{SyntaxError, SyntaxErrorKind as Kind};
use super::lexer::{Lexer, Token, TokenKind};
use super::names::Names;
use super::{literal, number};

/// The deepest nesting that is read. The parser of the masked copy has the same limit.
const MAX_DEPTH: usize = 64;

/// How often an unclosed block may send the scan back to a later block, so that the cost stays linear.
const MAX_RESTARTS: usize = 8;

/// An item could not be read; the problem is noted.
#[derive(Debug)]
struct Bad;

/// A block head at the start of a line, inside another block: if that is never closed, the mistake is likely
/// just before.
struct Suspect {
    at: usize,
    /// The brace that was open there.
    open: Range<usize>,
    /// How many problems were known.
    errors: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Body,
    Map,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Attribute,
    Block,
}

/// Masks one item of the file after the other.
pub(super) struct Masker<'a> {
    lexer: Lexer<'a>,
    /// The masked copy of the item at hand.
    out: Vec<u8>,
    /// Where that begins in the file.
    base: usize,
    /// The end of the last token that was used.
    end: usize,
    depth: usize,
    /// Set when nothing more can be said about the item at hand.
    stopped: bool,
    suspect: Option<Suspect>,
    restarts: usize,
    top: Names<'a>,
}

impl<'a> Masker<'a> {
    /// Begins at byte `at` of `text`.
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self {
            lexer: Lexer::new(text, at),
            out: Vec::new(),
            base: at,
            end: at,
            depth: 0,
            stopped: false,
            suspect: None,
            restarts: 0,
            top: Names::default(),
        }
    }

    /// The next item that can be read: its offset in the file and its masked copy.
    pub(super) fn next_item(&mut self) -> Option<(usize, &[u8])> {
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => return None,
                TokenKind::Symbol('{') if self.end == self.base && self.out.is_empty() => {
                    self.error(token.range, Kind::Json);
                    return None;
                }
                TokenKind::Symbol(close @ ('}' | ']' | ')')) => {
                    self.bump();
                    self.error(token.range, Kind::UnmatchedClose(close));
                }
                TokenKind::Symbol(',') if !self.out.is_empty() => {
                    self.bump();
                }
                _ => {
                    self.base = token.range.start;
                    self.out.clear();
                    self.stopped = false;
                    self.suspect = None;
                    self.depth = 0;
                    let mut top = std::mem::take(&mut self.top);
                    let item = self.item(Container::Body, &mut top);
                    self.top = top;
                    if item.is_ok() {
                        break;
                    }
                }
            }
        }
        Some((self.base, &self.out))
    }

    /// The problems found.
    pub(super) fn into_errors(self) -> Vec<SyntaxError> {
        self.lexer.errors
    }

    fn error(&mut self, at: Range<usize>, kind: Kind) {
        self.lexer.errors.push(SyntaxError::new(at, kind));
    }

    fn bump(&mut self) -> Token {
        let token = self.lexer.next();
        self.end = token.range.end;
        token
    }

    fn put(&mut self, at: usize, byte: u8) {
        self.fill(&(at..at + 1), byte);
    }

    fn fill(&mut self, range: &Range<usize>, byte: u8) {
        let (start, end) = (range.start - self.base, range.end - self.base);
        if self.out.len() < end {
            self.out.resize(end, b' ');
        }
        self.out[start..end].fill(byte);
    }

    fn blank_from(&mut self, start: usize) {
        self.out.truncate(start - self.base);
    }

    /// What is between `{` and `}`, with the closing brace.
    fn items(&mut self, container: Container, open: &Range<usize>) -> Result<(), Bad> {
        let (brackets, separator) = match container {
            Container::Body => (*b"{}", b'\n'),
            Container::Map => (*b"[]", b','),
        };
        self.put(open.start, brackets[0]);
        let mut names = Names::default();
        let mut count = 0usize;
        let mut first_room = false;
        let mut blocks = false;
        let mut gap = open.end;
        let mut comma = false;
        loop {
            let token = self.lexer.peek();
            let start = token.range.start;
            match token.kind {
                TokenKind::Symbol('}') => {
                    self.bump();
                    self.put(start, brackets[1]);
                    if container == Container::Body && count > 0 {
                        if first_room && start > gap {
                            self.put(open.end, b'\n');
                            self.put(gap, b'\n');
                        } else if count > 1 || blocks {
                            self.error(token.range, Kind::Crowded);
                        }
                    }
                    return Ok(());
                }
                TokenKind::Symbol(',') if comma => {
                    self.bump();
                    comma = false;
                }
                TokenKind::End => return Err(self.unclosed(open, start)),
                _ => {
                    self.note_suspect(&token, container, open);
                    let item = self.item(container, &mut names);
                    if self.stopped {
                        return Err(Bad);
                    }
                    match item {
                        Ok(kind) => {
                            if count == 0 {
                                first_room = start > open.end;
                            } else if start > gap {
                                self.put(gap, separator);
                            } else {
                                self.error(token.range, Kind::Crowded);
                            }
                            blocks |= kind == ItemKind::Block;
                            count += 1;
                        }
                        Err(Bad) => self.blank_from(start),
                    }
                    gap = self.end;
                    comma = true;
                }
            }
        }
    }

    fn note_suspect(&mut self, token: &Token, container: Container, open: &Range<usize>) {
        let at = token.range.start;
        let line_start = at == 0 || self.lexer.text.as_bytes()[at - 1] == b'\n';
        if self.suspect.is_some() || container != Container::Body || !line_start {
            return;
        }
        let line = self.lexer.text[at..].lines().next().unwrap_or("").trim_end();
        if token.kind == TokenKind::Name && line.ends_with('{') && line.contains(" \"") {
            let errors = self.lexer.errors.len();
            self.suspect = Some(Suspect { at, open: open.clone(), errors });
        }
    }

    /// The file ends inside a block.
    fn unclosed(&mut self, open: &Range<usize>, end: usize) -> Bad {
        self.stopped = true;
        match self.suspect.take().filter(|_| self.restarts < MAX_RESTARTS) {
            Some(suspect) => {
                self.restarts += 1;
                self.lexer.errors.truncate(suspect.errors);
                self.lexer.rewind(suspect.at);
                let kind = Kind::Unclosed { close: '}', open: suspect.open };
                self.error(suspect.at..suspect.at, kind);
            }
            // A string, heredoc or comment that swallowed the rest has been reported.
            None if self.lexer.swallowed => {}
            None => self.error(end..end, Kind::Unclosed { close: '}', open: open.clone() }),
        }
        Bad
    }

    /// One item: `name = value`, or a block.
    fn item(&mut self, container: Container, names: &mut Names<'a>) -> Result<ItemKind, Bad> {
        let errors = self.lexer.errors.len();
        let key = self.bump();
        if !matches!(key.kind, TokenKind::Name | TokenKind::Quoted) {
            let kind = self.unexpected(&key, "a name");
            self.error(key.range.clone(), kind);
            self.recover(&key);
            return Err(Bad);
        }
        let mut labels = 0usize;
        let mut broken = None;
        loop {
            let token = self.lexer.peek();
            let at = token.range.clone();
            match token.kind {
                TokenKind::Name | TokenKind::Quoted => {
                    if token.first_on_line && broken.is_none() {
                        broken = Some(self.end);
                    }
                    self.bump();
                    self.literal(&at, token.kind == TokenKind::Quoted);
                    labels += 1;
                }
                TokenKind::Symbol('{') => {
                    self.bump();
                    return self.block(container, &key, labels, &at, names, errors);
                }
                TokenKind::Symbol('=') if labels == 0 => {
                    self.bump();
                    self.name(container, &key, names);
                    self.put(at.start, if container == Container::Body { b'=' } else { b',' });
                    self.value(&at)?;
                    return if self.lexer.errors.len() == errors {
                        Ok(ItemKind::Attribute)
                    } else {
                        Err(Bad)
                    };
                }
                _ => {
                    let (at, kind) = match (token.kind, broken) {
                        (_, Some(end)) => (
                            end..end,
                            Kind::Unexpected { found: "end of line".to_owned(), expected: "`=` or `{`" },
                        ),
                        (TokenKind::Symbol('='), _) => (key.range.start..self.end, Kind::LabelledValue),
                        (TokenKind::Symbol(':'), _) => (at, Kind::Colon),
                        _ => (at, self.unexpected(&token, "`=` or `{`")),
                    };
                    self.error(at, kind);
                    self.recover(&key);
                    return Err(Bad);
                }
            }
        }
    }

    fn block(
        &mut self,
        container: Container,
        key: &Token,
        labels: usize,
        open: &Range<usize>,
        names: &mut Names<'a>,
        errors: usize,
    ) -> Result<ItemKind, Bad> {
        if container == Container::Map {
            if labels > 0 {
                self.error(key.range.start..open.start, Kind::LabelledMapBlock);
            } else if key.range.end == open.start {
                self.error(open.clone(), Kind::Crowded);
            } else {
                self.name(container, key, names);
                self.put(key.range.end, b',');
            }
        } else {
            self.fill(&key.range, b'x');
        }
        let head_is_good = self.lexer.errors.len() == errors;
        self.nested(open, |masker| masker.items(container, open))?;
        if head_is_good { Ok(ItemKind::Block) } else { Err(Bad) }
    }

    /// Runs `inside` one level deeper; too deep, it skips to the closing bracket.
    fn nested(
        &mut self,
        open: &Range<usize>,
        inside: impl FnOnce(&mut Self) -> Result<(), Bad>,
    ) -> Result<(), Bad> {
        if self.depth == MAX_DEPTH {
            self.error(open.clone(), Kind::TooDeep { limit: MAX_DEPTH });
            let mut depth = 1usize;
            while depth > 0 {
                match self.bump().kind {
                    TokenKind::Symbol('{' | '[') => depth += 1,
                    TokenKind::Symbol('}' | ']') => depth -= 1,
                    TokenKind::End => {
                        self.stopped = true;
                        break;
                    }
                    _ => {}
                }
            }
            return Err(Bad);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Masks the name of an attribute or map key and notes that it is taken.
    fn name(&mut self, container: Container, key: &Token, names: &mut Names<'a>) {
        let raw = self.lexer.slice(&key.range);
        let quoted = key.kind == TokenKind::Quoted;
        let name = if quoted { Cow::Owned(literal::decode(raw).to_string()) } else { Cow::Borrowed(raw) };
        if container == Container::Map {
            self.literal(&key.range, quoted);
        } else {
            for (at, byte) in key.range.clone().zip(names.stand_in(raw)) {
                self.put(at, byte);
            }
        }
        if let Some(first) = names.take(name.clone(), key.range.clone()) {
            self.error(key.range.clone(), Kind::Duplicate { name: name.into_owned(), first });
        }
    }

    /// Masks a string or a bare name.
    fn literal(&mut self, range: &Range<usize>, quoted: bool) {
        self.fill(range, b'x');
        if quoted && range.len() >= 2 {
            self.put(range.start, b'"');
            self.put(range.end - 1, b'"');
        }
    }

    /// A value, after `=` or in a list. `before` is the token that it follows.
    fn value(&mut self, before: &Range<usize>) -> Result<(), Bad> {
        let token = self.lexer.peek();
        let start = token.range.start;
        let word = self.lexer.slice(&token.range);
        match token.kind {
            TokenKind::Quoted | TokenKind::Heredoc => {
                self.bump();
                self.literal(&token.range, true);
            }
            TokenKind::Number => {
                self.bump();
                self.fill(&token.range, b'0');
                if let Err(kind) = number::parse(word) {
                    self.error(token.range, kind);
                }
            }
            TokenKind::Name if matches!(word, "true" | "false") => {
                self.bump();
                for (at, byte) in token.range.clone().zip(word.bytes()) {
                    self.put(at, byte);
                }
            }
            TokenKind::Symbol('{') => {
                self.bump();
                self.nested(&token.range, |masker| masker.items(Container::Map, &token.range))?;
            }
            TokenKind::Symbol('[') => {
                self.bump();
                self.nested(&token.range, |masker| masker.list(&token.range))?;
            }
            TokenKind::End | TokenKind::Symbol('}' | ']' | ')' | ',' | '=' | ':') => {
                self.error(before.clone(), Kind::MissingValue);
                return Err(Bad);
            }
            TokenKind::Name if token.first_on_line && self.begins_item(&token) => {
                self.error(before.clone(), Kind::MissingValue);
                return Err(Bad);
            }
            TokenKind::Name | TokenKind::Symbol(_) => {
                self.bump();
                self.expression(start, token.kind == TokenKind::Name);
                return Err(Bad);
            }
        }
        let next = self.lexer.peek();
        let operator = matches!(
            next.kind,
            TokenKind::Symbol(
                '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '?' | '.' | '('
            )
        );
        if operator && !next.first_on_line {
            self.expression(start, true);
            return Err(Bad);
        }
        Ok(())
    }

    /// Whether the name is that of an item and not a value: `=` or `{` follows on its line.
    fn begins_item(&self, name: &Token) -> bool {
        let line = self.lexer.text[name.range.end..].lines().next().unwrap_or("").trim_start();
        line.starts_with('{') || line.starts_with('=') && !line.starts_with("==") || line.starts_with('"')
    }

    /// Skips an expression, of which something has been read, and says that it is one.
    fn expression(&mut self, start: usize, mut operand: bool) {
        let mut depth = 0usize;
        loop {
            let token = self.lexer.peek();
            let ends = match token.kind {
                TokenKind::End => true,
                _ if depth > 0 => false,
                _ if token.first_on_line => true,
                TokenKind::Symbol('}' | ']' | ')' | ',') => true,
                TokenKind::Name | TokenKind::Quoted | TokenKind::Heredoc => operand,
                _ => false,
            };
            if ends {
                break;
            }
            match token.kind {
                TokenKind::Symbol('{' | '[' | '(') => depth += 1,
                TokenKind::Symbol('}' | ']' | ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            operand = !matches!(token.kind, TokenKind::Symbol(c) if !matches!(c, '}' | ']' | ')'));
            self.bump();
        }
        let range = start..self.end;
        let text = self.lexer.slice(&range);
        let mut shown: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
        if shown.len() < text.len() {
            shown.push_str("..");
        }
        self.error(range, Kind::NativeExpression(shown));
    }

    /// What is between `[` and `]`, with the closing bracket.
    fn list(&mut self, open: &Range<usize>) -> Result<(), Bad> {
        self.put(open.start, b'[');
        let mut before = open.clone();
        let mut complete = false;
        let mut good = true;
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::Symbol(']') => {
                    self.bump();
                    self.put(token.range.start, b']');
                    return if good { Ok(()) } else { Err(Bad) };
                }
                TokenKind::Symbol(',') if complete => {
                    self.bump();
                    self.put(token.range.start, b',');
                    before = token.range;
                    complete = false;
                }
                TokenKind::End | TokenKind::Symbol('}') => return Err(self.unclosed_list(open, &token)),
                TokenKind::Name if token.first_on_line && self.begins_item(&token) => {
                    return Err(self.unclosed_list(open, &token));
                }
                TokenKind::Symbol(c @ (',' | ')' | '=' | ':')) => {
                    self.bump();
                    let found = format!("`{c}`");
                    self.error(token.range, Kind::Unexpected { found, expected: "a value or `]`" });
                    good = false;
                }
                _ => {
                    if complete {
                        self.error(token.range.start..token.range.start, Kind::MissingComma);
                    }
                    good &= self.value(&before).is_ok();
                    if self.stopped {
                        return Err(Bad);
                    }
                    complete = true;
                }
            }
        }
    }

    fn unclosed_list(&mut self, open: &Range<usize>, token: &Token) -> Bad {
        let at = token.range.start;
        if token.kind == TokenKind::End {
            self.stopped = true;
            if self.lexer.swallowed {
                return Bad;
            }
        }
        self.error(at..at, Kind::Unclosed { close: ']', open: open.clone() });
        Bad
    }

    fn unexpected(&self, token: &Token, expected: &'static str) -> Kind {
        let found = match token.kind {
            TokenKind::End => "end of file".to_owned(),
            TokenKind::Symbol(c) if !matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | ',' | '=' | ':') => {
                return Kind::UnexpectedCharacter(c);
            }
            TokenKind::Heredoc => "a heredoc".to_owned(),
            TokenKind::Name | TokenKind::Quoted | TokenKind::Number | TokenKind::Symbol(_) => {
                format!("`{}`", self.lexer.slice(&token.range))
            }
        };
        Kind::Unexpected { found, expected }
    }

    /// Skips to where the next item may begin.
    fn recover(&mut self, last: &Token) {
        let opens = |token: &Token| usize::from(matches!(token.kind, TokenKind::Symbol('{' | '[' | '(')));
        let mut depth = opens(last);
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Symbol('}') if depth == 0 => return,
                TokenKind::Name | TokenKind::Quoted if depth == 0 && token.first_on_line => return,
                TokenKind::Symbol('}' | ']' | ')') => depth = depth.saturating_sub(1),
                _ => depth += opens(&token),
            }
            self.bump();
        }
    }
}
