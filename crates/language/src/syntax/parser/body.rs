//! The parser of bodies, maps and their items.

use std::borrow::Cow;
use std::ops::Range;

use super::state::{Abandoned, Parser};
use crate::syntax::error::{SyntaxErrorKind, shorten};
use crate::syntax::expression::Newlines;
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::names::Names;
use crate::syntax::tree::{Attribute, Block, Body, Expression, ExpressionKind, Item, Name, byte_range};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    /// A file or a block.
    Body,
    /// A `{ .. }` value.
    ///
    /// All its items are attributes.
    Map,
}

impl<'a> Parser<'a> {
    pub(super) fn item(
        &mut self,
        container: Container,
        names: &mut Names<Cow<'a, str>>,
    ) -> Result<Item, Abandoned> {
        let error_count = self.lexer.errors.len();
        let key = self.bump();
        if container == Container::Map && matches!(key.kind, TokenKind::Number | TokenKind::Symbol('(')) {
            return Err(Abandoned::PlainMap);
        }
        if !matches!(key.kind, TokenKind::Name | TokenKind::Quoted) {
            let template = container == Container::Map && self.lexer.text[..key.range.end].ends_with("{{");
            let kind = if template { SyntaxErrorKind::BareTemplate } else { self.unexpected(&key, "a name") };
            self.error(key.range.clone(), kind);
            self.recover(&key);
            return Err(Abandoned::Item);
        }
        let mut labels = Vec::new();
        self.give_back_brace(&key);
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::Name | TokenKind::Quoted if !self.begins_attribute(&token) => {
                    if token.kind == TokenKind::Name && token.range.start == key.range.end {
                        self.error(token.range.clone(), SyntaxErrorKind::Crowded);
                    }
                    self.bump();
                    if labels.is_empty() {
                        // Most blocks have exactly one label, and there are very many blocks.
                        labels.reserve_exact(1);
                    }
                    labels.push(self.name(&token));
                    self.give_back_brace(&token);
                }
                TokenKind::Symbol('{') => {
                    self.bump();
                    labels.shrink_to_fit();
                    if container == Container::Map {
                        self.check_map_head(&key, &labels, &token.range, names);
                    }
                    let is_valid = self.lexer.errors.len() == error_count;
                    let block = self.block(container, &key, labels, &token.range)?;
                    return if is_valid { Ok(block) } else { Err(Abandoned::Item) };
                }
                TokenKind::Symbol('=') if labels.is_empty() => {
                    self.bump();
                    self.take_name(&key, names);
                    let value = self.value(&token.range, Newlines::Terminate)?;
                    if self.lexer.errors.len() > error_count {
                        return Err(Abandoned::Item);
                    }
                    return Ok(Item::Attribute(Attribute { name: self.common_name(&key), value }));
                }
                _ => {
                    let (range, kind) = match token.kind {
                        TokenKind::Symbol('=') => (key.range.start..self.end, SyntaxErrorKind::LabelledValue),
                        TokenKind::Symbol(':') => (token.range, SyntaxErrorKind::Colon),
                        _ if token.first_on_line => (self.end..self.end, SyntaxErrorKind::NameAlone),
                        _ => (token.range.clone(), self.unexpected(&token, "`=` or `{`")),
                    };
                    // No error is added if an unclosed string swallowed the missing token.
                    if self.lexer.errors.len() == error_count {
                        self.error(range, kind);
                    }
                    self.recover(&key);
                    return Err(Abandoned::Item);
                }
            }
        }
    }

    /// Checks the head of a block in a map, which counts as a name with a value.
    fn check_map_head(
        &mut self,
        key: &Token,
        labels: &[Name],
        open: &Range<usize>,
        names: &mut Names<Cow<'a, str>>,
    ) {
        if !labels.is_empty() {
            self.error(key.range.start..open.start, SyntaxErrorKind::LabelledMapBlock);
        } else if key.range.end == open.start {
            self.error(open.clone(), SyntaxErrorKind::Crowded);
        } else {
            self.take_name(key, names);
        }
    }

    /// Parses a block after its opening brace.
    ///
    /// In a map it is a value.
    fn block(
        &mut self,
        container: Container,
        key: &Token,
        labels: Vec<Name>,
        open: &Range<usize>,
    ) -> Result<Item, Abandoned> {
        if container == Container::Map {
            let value = self.map(open)?;
            return Ok(Item::Attribute(Attribute { name: self.common_name(key), value }));
        }
        let (items, end) = self.items(container, open, |items, first| items.drain(first..).collect())?;
        let range = byte_range(&(key.range.start..end));
        Ok(Item::Block(Block { kind: self.common_name(key), labels, body: Body { items }, range }))
    }

    pub(super) fn map(&mut self, open: &Range<usize>) -> Result<Expression, Abandoned> {
        let (entries, end) = self.items(Container::Map, open, |items, first| {
            let mut entries = Vec::with_capacity(items.len() - first);
            entries.extend(items.drain(first..).filter_map(|item| match item {
                Item::Attribute(Attribute { name, value }) => Some((name, value)),
                Item::Block(_) => None,
            }));
            entries
        })?;
        Ok(Expression { kind: ExpressionKind::Map(entries), range: byte_range(&(open.start..end)) })
    }

    /// Parses the items up to `}`, which `take` removes from the stack.
    ///
    /// Also returns the end of the brace.
    fn items<T>(
        &mut self,
        container: Container,
        open: &Range<usize>,
        take: impl FnOnce(&mut Vec<Item>, usize) -> T,
    ) -> Result<(T, usize), Abandoned> {
        let first = self.items.len();
        match self.nested(open, |parser| parser.push_items(container, open)) {
            Ok(end) => Ok((take(&mut self.items, first), end)),
            Err(abandoned) => {
                self.items.truncate(first);
                Err(abandoned)
            }
        }
    }

    /// Pushes the items up to `}` on the stack.
    ///
    /// Returns the end of the brace.
    fn push_items(&mut self, container: Container, open: &Range<usize>) -> Result<usize, Abandoned> {
        let first = self.items.len();
        let mut names = Names::new();
        let mut gap = open.end;
        let mut comma = false;
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::Symbol('}') => {
                    self.bump();
                    return Ok(token.range.end);
                }
                TokenKind::Symbol(',') if comma => {
                    self.bump();
                    comma = false;
                }
                TokenKind::End => return Err(self.unclosed(open, token.range.start)),
                _ => {
                    self.note_suspect(&token, container, open);
                    match self.item(container, &mut names) {
                        Err(abandoned @ (Abandoned::TopLevelItem | Abandoned::PlainMap)) => {
                            return Err(abandoned);
                        }
                        _ if self.too_many_errors() => return Err(Abandoned::TopLevelItem),
                        Ok(_) if self.items.len() > first && token.range.start == gap => {
                            self.error(token.range, SyntaxErrorKind::Crowded);
                        }
                        Ok(item) => self.items.push(item),
                        Err(Abandoned::Item) => {}
                    }
                    gap = self.end;
                    comma = true;
                }
            }
        }
    }

    /// Records the name of an attribute or map key, and reports a duplicate.
    fn take_name(&mut self, key: &Token, names: &mut Names<Cow<'a, str>>) {
        if let Some(first) = names.insert(self.name_text(key), key.range.clone()) {
            let name = shorten(&self.name_text(key));
            self.error(key.range.clone(), SyntaxErrorKind::Duplicate { name, first });
        }
    }
}
