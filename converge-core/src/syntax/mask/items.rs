//! Bodies, maps, and the items in them.

use std::borrow::Cow;
use std::ops::Range;

use super::names::Names;
use super::{Bad, Masker};
use crate::syntax::error::{SyntaxErrorKind as Kind, shorten};
use crate::syntax::expression::{Lines, MAX_DEPTH};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::literal;

/// What items stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// A file, or a block.
    Body,
    /// A `{ .. }` that is a value.
    Map,
}

/// What an item turned out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Attribute,
    Block,
}

impl<'a> Masker<'a> {
    /// What is between `{` and `}`, with the closing brace.
    pub(super) fn items(&mut self, container: Container, open: &Range<usize>) -> Result<(), Bad> {
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
                        let (before, after) = (first_room, start > gap);
                        // One attribute may stay on the line of its braces.
                        if (before && after) || count > 1 || blocks {
                            self.line_end(open.end, before);
                            self.line_end(gap, after);
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
                    if self.stopped || self.too_many_errors() {
                        self.stopped = true;
                        return Err(Bad);
                    }
                    match item {
                        Ok(_) if count > 0 && start == gap => {
                            self.error(token.range, Kind::Crowded);
                            self.blank_from(start);
                        }
                        Ok(kind) => {
                            if count == 0 {
                                first_room = start > open.end;
                            } else {
                                self.put(gap, separator);
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

    /// Writes a line end at `at`, or notes that it has to be put in.
    fn line_end(&mut self, at: usize, room: bool) {
        if room {
            self.put(at, b'\n');
        } else {
            self.inserts.push(at);
        }
    }

    /// One item: `name = value`, or a block.
    pub(super) fn item(&mut self, container: Container, names: &mut Names<'a>) -> Result<ItemKind, Bad> {
        let errors = self.lexer.errors.len();
        let key = self.bump();
        if container == Container::Map && matches!(key.kind, TokenKind::Number | TokenKind::Symbol('(')) {
            self.native_map = true;
            self.stopped = true;
            return Err(Bad);
        }
        if !matches!(key.kind, TokenKind::Name | TokenKind::Quoted) {
            let template = container == Container::Map && self.lexer.text[..key.range.end].ends_with("{{");
            let kind = if template { Kind::BareTemplate } else { self.unexpected(&key, "a name") };
            self.error(key.range.clone(), kind);
            self.recover(&key);
            return Err(Bad);
        }
        let mut labels = 0usize;
        self.give_back_brace(&key);
        loop {
            let token = self.lexer.peek();
            let at = token.range.clone();
            match token.kind {
                TokenKind::Name | TokenKind::Quoted if !self.begins_attribute(&token) => {
                    if token.kind == TokenKind::Name && at.start == key.range.end {
                        self.error(at.clone(), Kind::Crowded);
                    }
                    self.bump();
                    self.fill(&at, b'x');
                    // The quotes keep labels apart that touch.
                    if token.kind == TokenKind::Quoted {
                        self.put(at.start, b'"');
                        self.put(at.end - 1, b'"');
                    }
                    self.give_back_brace(&token);
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
                    self.value(&at, Lines::End)?;
                    return if self.lexer.errors.len() == errors {
                        Ok(ItemKind::Attribute)
                    } else {
                        Err(Bad)
                    };
                }
                _ => {
                    let (at, kind) = match token.kind {
                        TokenKind::Symbol('=') => (key.range.start..self.end, Kind::LabelledValue),
                        TokenKind::Symbol(':') => (at, Kind::Colon),
                        _ if token.first_on_line => (self.end..self.end, Kind::NameAlone),
                        _ => (at, self.unexpected(&token, "`=` or `{`")),
                    };
                    // A string that is not closed took what is missing.
                    if self.lexer.errors.len() == errors {
                        self.error(at, kind);
                    }
                    self.recover(&key);
                    return Err(Bad);
                }
            }
        }
    }

    /// A block, of which the opening brace was read.
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
    pub(super) fn nested(
        &mut self,
        open: &Range<usize>,
        inside: impl FnOnce(&mut Self) -> Result<(), Bad>,
    ) -> Result<(), Bad> {
        if self.depth == MAX_DEPTH {
            self.error(open.clone(), Kind::TooDeep { limit: MAX_DEPTH });
            self.skip_nested();
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
            self.fill(&key.range, b'x');
        } else {
            for (at, byte) in key.range.clone().zip(names.stand_in(raw)) {
                self.put(at, byte);
            }
        }
        if let Some(first) = names.take(name.clone(), key.range.clone()) {
            self.error(key.range.clone(), Kind::Duplicate { name: shorten(&name), first });
        }
    }
}
