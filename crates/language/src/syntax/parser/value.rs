//! The parser of values and lists.

use std::ops::Range;

use super::state::{Abandoned, Parser};
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::expression::{self, Newlines, begins_for};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::tree::{Expression, ExpressionKind, byte_range};
use crate::syntax::{literal, number};

impl Parser<'_> {
    /// Parses a value after `=` or in a list.
    ///
    /// `before` is the preceding token.
    pub(super) fn value(
        &mut self,
        before: &Range<usize>,
        newlines: Newlines,
    ) -> Result<Expression, Abandoned> {
        let token = self.lexer.peek();
        let start = token.range.start;
        let word = self.lexer.slice(&token.range);
        let error_count = self.lexer.errors.len();
        match token.kind {
            TokenKind::Quoted | TokenKind::Heredoc | TokenKind::Number => {
                self.bump();
            }
            TokenKind::Name if matches!(word, "true" | "false") => {
                self.bump();
            }
            TokenKind::Symbol('{' | '[') => {
                if begins_for(self.lexer.text.get(token.range.end..).unwrap_or("")) {
                    return self.expression(start, before, newlines);
                }
                self.bump();
                let brace = token.kind == TokenKind::Symbol('{');
                let collection = if brace { self.map(&token.range) } else { self.list(&token.range) };
                match collection {
                    Ok(collection) if !self.goes_on(newlines) => return Ok(collection),
                    Ok(_) | Err(Abandoned::PlainMap) => {
                        return self.read_again(start, error_count, before, newlines);
                    }
                    Err(abandoned) => {
                        if abandoned == Abandoned::Item && self.goes_on(newlines) {
                            self.skip_value(start, &[], newlines);
                        }
                        return Err(abandoned);
                    }
                }
            }
            TokenKind::End | TokenKind::Symbol('}' | ',') => {
                self.error(before.clone(), SyntaxErrorKind::MissingValue);
                return Err(Abandoned::Item);
            }
            TokenKind::Symbol(']' | ')' | '=' | ':') => {
                self.error(before.clone(), SyntaxErrorKind::MissingValue);
                self.bump();
                self.recover(&token);
                return Err(Abandoned::Item);
            }
            TokenKind::Name if token.first_on_line && self.begins_item(&token) => {
                self.error(before.clone(), SyntaxErrorKind::MissingValue);
                return Err(Abandoned::Item);
            }
            TokenKind::Name | TokenKind::Symbol(_) => return self.expression(start, before, newlines),
        }
        if self.goes_on(newlines) {
            return self.read_again(start, error_count, before, newlines);
        }
        Ok(self.literal(&token))
    }

    fn literal(&mut self, token: &Token) -> Expression {
        let raw = self.lexer.slice(&token.range);
        let kind = match token.kind {
            TokenKind::Number => number::parse(raw).unwrap_or_else(|kind| {
                self.error(token.range.clone(), kind);
                ExpressionKind::Bool(false)
            }),
            TokenKind::Name => ExpressionKind::Bool(raw == "true"),
            _ => ExpressionKind::String(literal::decode(raw).into()),
        };
        Expression { kind, range: byte_range(&token.range) }
    }

    fn list(&mut self, open: &Range<usize>) -> Result<Expression, Abandoned> {
        let (values, end) = self.nested(open, |parser| parser.list_items(open))?;
        Ok(Expression { kind: ExpressionKind::List(values), range: byte_range(&(open.start..end)) })
    }

    /// Parses the items up to `]`.
    ///
    /// Also returns the end of the bracket.
    fn list_items(&mut self, open: &Range<usize>) -> Result<(Vec<Expression>, usize), Abandoned> {
        let mut values = Vec::new();
        let mut before = open.clone();
        let mut complete = false;
        let mut is_valid = true;
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::Symbol(']') => {
                    self.bump();
                    values.shrink_to_fit();
                    return if is_valid { Ok((values, token.range.end)) } else { Err(Abandoned::Item) };
                }
                TokenKind::Symbol(',') if complete => {
                    self.bump();
                    before = token.range;
                    complete = false;
                }
                TokenKind::End | TokenKind::Symbol('}') => return Err(self.unclosed_list(open, &token)),
                TokenKind::Name if token.first_on_line && self.begins_item(&token) => {
                    return Err(self.unclosed_list(open, &token));
                }
                TokenKind::Symbol(c @ (',' | ')' | '=' | ':')) => {
                    self.bump();
                    let actual = format!("`{c}`");
                    let expected = "a value or `]`";
                    self.error(token.range, SyntaxErrorKind::Unexpected { found: actual, expected });
                    is_valid = false;
                }
                _ => {
                    if complete {
                        self.error(token.range.start..token.range.start, SyntaxErrorKind::MissingComma);
                    }
                    match self.value(&before, Newlines::Ignore) {
                        Err(Abandoned::Item) => is_valid = false,
                        Err(abandoned) => return Err(abandoned),
                        Ok(value) => values.push(value),
                    }
                    if self.too_many_errors() {
                        return Err(Abandoned::TopLevelItem);
                    }
                    complete = true;
                }
            }
        }
    }

    /// Parses a value again as an expression, because it is more than a literal, list or map.
    ///
    /// Errors after the first `known` ones are discarded.
    fn read_again(
        &mut self,
        start: usize,
        known: usize,
        before: &Range<usize>,
        newlines: Newlines,
    ) -> Result<Expression, Abandoned> {
        self.lexer.rewind(start);
        self.lexer.errors.truncate(known);
        self.expression(start, before, newlines)
    }

    /// Parses the value at `at` as an expression.
    ///
    /// `after` is the preceding token.
    fn expression(
        &mut self,
        at: usize,
        after: &Range<usize>,
        newlines: Newlines,
    ) -> Result<Expression, Abandoned> {
        match expression::parse(&mut self.lexer, at, after.clone(), newlines, self.depth) {
            Ok((expression, end)) => {
                self.lexer.rewind(end);
                self.end = end;
                Ok(expression)
            }
            Err(interrupted) => {
                self.lexer.rewind(interrupted.at);
                self.end = interrupted.at;
                self.skip_value(at, &interrupted.open, newlines);
                Err(Abandoned::Item)
            }
        }
    }
}
