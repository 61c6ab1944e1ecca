//! Values and lists.

use std::ops::Range;

use super::items::Container;
use super::{Bad, Masker};
use crate::syntax::error::SyntaxErrorKind as Kind;
use crate::syntax::lexer::TokenKind;
use crate::syntax::number;

impl Masker<'_> {
    /// A value, after `=` or in a list. `before` is the token that it follows.
    pub(super) fn value(&mut self, before: &Range<usize>, in_list: bool) -> Result<(), Bad> {
        let token = self.lexer.peek();
        let start = token.range.start;
        let word = self.lexer.slice(&token.range);
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
            TokenKind::Symbol('{') => {
                self.bump();
                self.nested(&token.range, |masker| masker.items(Container::Map, &token.range))?;
            }
            TokenKind::Symbol('[') => {
                self.bump();
                self.nested(&token.range, |masker| masker.list(&token.range))?;
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
            TokenKind::Name | TokenKind::Symbol(_) => {
                self.expression(start, in_list);
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
            self.expression(start, in_list);
            return Err(Bad);
        }
        Ok(())
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
                    good &= self.value(&before, true).is_ok();
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
