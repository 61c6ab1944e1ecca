//! The state of the parser.

use std::borrow::Cow;
use std::ops::Range;

use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::lexer::{Lexer, Token};
use crate::syntax::limits::{MAX_DEPTH, MAX_ERRORS};
use crate::syntax::literal;
use crate::syntax::tree::{Item, Name, byte_range};

/// The extent of what is given up after an error, which is already recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abandoned {
    /// The current item or value.
    ///
    /// The next one can be parsed.
    Item,
    /// The current top-level item and everything in it.
    TopLevelItem,
    /// The current map, which must be parsed again as an expression.
    PlainMap,
}

/// A line inside a block that looks like the head of a top-level block.
///
/// If the surrounding block is never closed, the missing brace is likely just before this line.
pub(super) struct Suspect {
    pub(super) at: usize,
    /// The innermost opening brace at that line.
    pub(super) open: Range<usize>,
    /// The number of errors before that line.
    pub(super) errors: usize,
}

#[derive(Default)]
pub(in crate::syntax) struct Parser<'a> {
    pub(in crate::syntax) lexer: Lexer<'a>,
    /// The end of the last consumed token.
    pub(super) end: usize,
    /// The number of open brackets.
    pub(super) depth: usize,
    pub(super) suspect: Option<Suspect>,
    pub(super) restarts: usize,
    /// The stack of items of all open blocks and maps.
    ///
    /// The stack lets each finished list be allocated with its exact size.
    pub(super) items: Vec<Item>,
}

impl<'a> Parser<'a> {
    pub(in crate::syntax) fn new(text: &'a str, offset: usize) -> Self {
        Self { lexer: Lexer::new(text, offset), end: offset, ..Self::default() }
    }

    pub(super) fn error(&mut self, range: Range<usize>, kind: SyntaxErrorKind) {
        self.lexer.errors.push(SyntaxError::new(range, kind));
    }

    pub(super) fn too_many_errors(&self) -> bool {
        self.lexer.errors.len() > MAX_ERRORS
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.lexer.next_token();
        self.end = token.range.end;
        token
    }

    /// Runs `inside` one level deeper.
    ///
    /// Beyond the maximum depth, reports an error and skips to the closing bracket.
    pub(super) fn nested<T>(
        &mut self,
        open: &Range<usize>,
        inside: impl FnOnce(&mut Self) -> Result<T, Abandoned>,
    ) -> Result<T, Abandoned> {
        if self.depth == MAX_DEPTH {
            self.error(open.clone(), SyntaxErrorKind::TooDeep { limit: MAX_DEPTH });
            return Err(self.skip_nested());
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Returns the name in a bare word or a string.
    pub(super) fn name(&self, token: &Token) -> Name {
        Name { text: self.name_text(token).into(), range: byte_range(&token.range) }
    }

    /// Returns a name that is likely to occur again, with shared text.
    pub(super) fn common_name(&mut self, token: &Token) -> Name {
        let raw = self.lexer.slice(&token.range);
        Name { text: self.lexer.names.field(raw), range: byte_range(&token.range) }
    }

    pub(super) fn name_text(&self, token: &Token) -> Cow<'a, str> {
        name_text(self.lexer.slice(&token.range))
    }
}

fn name_text(raw: &str) -> Cow<'_, str> {
    if raw.starts_with('"') { literal::decode(raw) } else { Cow::Borrowed(raw) }
}
