//! The state of the template parser, and its movement through the tokens.

use crate::diagnostic::{Suggest, close_names};
use crate::types::function::ModuleFunctions;

use super::super::lexer::{Token, TokenKind};
use super::super::references::Reference;
use super::super::tree::{Body, Slot};
use crate::language::error::{LanguageError, LanguageErrorKind as Kind};
use crate::language::functions::Function;

/// The maximum nesting of blocks, parentheses and pipeline stages.
pub(super) const MAX_NESTING: usize = 60;

pub(super) type ParseResult<T> = Result<T, LanguageError>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) lex_error: Option<LanguageError>,
    pub(super) functions: &'a [&'static [Function]],
    /// The functions that the program registered.
    pub(super) own: &'a ModuleFunctions,
    /// The names in scope; the index of a name is its slot.
    pub(super) variables: Vec<&'a str>,
    pub(super) templates: Vec<Defined>,
    pub(super) references: Vec<Reference>,
    pub(super) depth: usize,
    /// The number of enclosing `range` blocks.
    pub(super) loops: usize,
}

/// A template that is defined or called inside the text.
pub(super) struct Defined {
    pub(super) name: String,
    pub(super) body: Option<Body>,
    /// The position of the first call.
    pub(super) called: Option<(u32, u32)>,
}

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> Token {
        let end = Token { kind: TokenKind::End, start: 0, end: 0 };
        self.tokens.get(self.at).or(self.tokens.last()).copied().unwrap_or(end)
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    pub(super) fn skip_space(&mut self) {
        while self.peek().kind == TokenKind::Space {
            self.at += 1;
        }
    }

    pub(super) fn peek_word(&mut self) -> Token {
        self.skip_space();
        self.peek()
    }

    pub(super) fn next_word(&mut self) -> Token {
        self.skip_space();
        self.next()
    }

    pub(super) fn text_of(&self, token: Token) -> &'a str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    pub(super) fn error<T>(token: Token, kind: Kind) -> ParseResult<T> {
        Err(LanguageError { kind, range: token.start..token.end })
    }

    /// Returns the error for an unexpected token, or the lexer's error if it is at this position.
    pub(super) fn unexpected<T>(&mut self, token: Token, context: &'static str) -> ParseResult<T> {
        if token.kind == TokenKind::End
            && let Some(error) = self.lex_error.take()
        {
            return Err(error);
        }
        let description = match token.kind {
            TokenKind::End => "the end of the text".to_owned(),
            TokenKind::Space => "a space".to_owned(),
            _ => format!("`{}`", self.text_of(token)),
        };
        Self::error(token, Kind::invalid(format!("unexpected {description} in {context}")))
    }

    /// Runs a parse step one level deeper.
    pub(super) fn nested<T>(
        &mut self,
        token: Token,
        step: impl FnOnce(&mut Self) -> ParseResult<T>,
    ) -> ParseResult<T> {
        if self.depth >= MAX_NESTING {
            return Self::error(token, Kind::TooDeep { limit: MAX_NESTING });
        }
        self.depth += 1;
        let result = step(self);
        self.depth -= 1;
        result
    }

    pub(super) fn declare(&mut self, token: Token, context: &'static str) -> ParseResult<Slot> {
        let Ok(slot) = Slot::try_from(self.variables.len()) else {
            return Self::too_many_variables(token, context);
        };
        let name = self.text_of(token);
        self.variables.push(name);
        Ok(slot)
    }

    /// Returns the slot of a declared variable; the latest declaration of a name wins.
    pub(super) fn variable(&self, token: Token) -> ParseResult<Slot> {
        let name = self.text_of(token);
        let slot = self.variables.iter().rposition(|variable| *variable == name);
        if let Some(slot) = slot.and_then(|slot| Slot::try_from(slot).ok()) {
            return Ok(slot);
        }
        let close = close_names(name, self.variables.iter().copied());
        Self::error(token, Kind::invalid(format!("the variable `{name}` is not defined{}", Suggest(&close))))
    }

    pub(super) fn too_many_variables<T>(token: Token, context: &str) -> ParseResult<T> {
        Self::error(token, Kind::invalid(format!("too many variables in {context}")))
    }
}
