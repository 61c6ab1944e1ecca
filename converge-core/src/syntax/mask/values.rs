//! Values and lists.

use std::ops::Range;

use super::items::Container;
use super::{Bad, Masker};
use crate::syntax::error::SyntaxErrorKind as Kind;
use crate::syntax::expression::{Lines, begins_for};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::number;

impl Masker<'_> {
    /// A value, after `=` or in a list. `before` is the token that it follows.
    pub(super) fn value(&mut self, before: &Range<usize>, lines: Lines) -> Result<(), Bad> {
        let token = self.lexer.peek();
        let start = token.range.start;
        let word = self.lexer.slice(&token.range);
        let errors = self.lexer.errors.len();
        match token.kind {
            TokenKind::Quoted | TokenKind::Heredoc => {
                self.bump();
                self.fill(&token.range, b'x');
            }
            TokenKind::Number => {
                self.bump();
                self.fill(&token.range, b'x');
                if let Err(kind) = number::parse(word) {
                    self.error(token.range, kind);
                }
            }
            TokenKind::Name if matches!(word, "true" | "false") => {
                self.bump();
                self.fill(&token.range, b'x');
            }
            TokenKind::Symbol('{' | '[') => {
                if begins_for(self.lexer.text.get(token.range.end..).unwrap_or("")) {
                    return self.native(start, before, lines);
                }
                self.bump();
                let collection = self.collection(&token);
                if std::mem::take(&mut self.native_map) {
                    self.stopped = false;
                    self.take_back(start, errors);
                    return self.native(start, before, lines);
                }
                if let Err(Bad) = collection {
                    if !self.stopped && self.goes_on(lines) {
                        self.skip_value(start, &[], lines);
                    }
                    return Err(Bad);
                }
            }
            TokenKind::End | TokenKind::Symbol('}' | ',') => {
                self.error(before.clone(), Kind::MissingValue);
                return Err(Bad);
            }
            TokenKind::Symbol(']' | ')' | '=' | ':') => {
                self.error(before.clone(), Kind::MissingValue);
                self.bump();
                self.recover(&token);
                return Err(Bad);
            }
            TokenKind::Name if token.first_on_line && self.begins_item(&token) => {
                self.error(before.clone(), Kind::MissingValue);
                return Err(Bad);
            }
            TokenKind::Name | TokenKind::Symbol(_) => return self.native(start, before, lines),
        }
        if self.goes_on(lines) {
            self.take_back(start, errors);
            return self.native(start, before, lines);
        }
        Ok(())
    }

    /// A list or a map, of which the opening bracket was read.
    fn collection(&mut self, open: &Token) -> Result<(), Bad> {
        let brace = open.kind == TokenKind::Symbol('{');
        self.nested(&open.range, |masker| {
            if brace { masker.items(Container::Map, &open.range) } else { masker.list(&open.range) }
        })
    }

    /// What is between `[` and `]`, with the closing bracket.
    pub(super) fn list(&mut self, open: &Range<usize>) -> Result<(), Bad> {
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
                    good &= self.value(&before, Lines::Free).is_ok();
                    if self.stopped || self.too_many_errors() {
                        self.stopped = true;
                        return Err(Bad);
                    }
                    complete = true;
                }
            }
        }
    }
}
