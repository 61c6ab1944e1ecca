//! What the parser knows while it reads a file.

use std::borrow::Cow;
use std::ops::Range;

use crate::syntax::error::{SyntaxError, SyntaxErrorKind};
use crate::syntax::lexer::{Lexer, Token};
use crate::syntax::limits::{MAX_DEPTH, MAX_ERRORS};
use crate::syntax::literal;
use crate::syntax::tree::{Item, Name, byte_range};

/// What is given up because of a problem, which is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abandoned {
    /// The item or value at hand: the next one can be read.
    Item,
    /// The top-level item, with all that it is in.
    TopLevelItem,
    /// The map at hand, which has to be read again as an expression.
    PlainMap,
}

/// A block head at the start of a line, inside another block: if that is never closed, the mistake is likely
/// just before.
pub(super) struct Suspect {
    pub(super) at: usize,
    /// The brace that was open there.
    pub(super) open: Range<usize>,
    /// How many problems were known.
    pub(super) errors: usize,
}

#[derive(Default)]
pub(in crate::syntax) struct Parser<'a> {
    pub(in crate::syntax) lexer: Lexer<'a>,
    /// The end of the last token that was used.
    pub(super) end: usize,
    /// How many brackets are open.
    pub(super) depth: usize,
    pub(super) suspect: Option<Suspect>,
    pub(super) restarts: usize,
    /// The items of the blocks and maps that are open, so that each finished list gets its exact size.
    pub(super) items: Vec<Item>,
}

impl<'a> Parser<'a> {
    pub(in crate::syntax) fn new(text: &'a str, at: usize) -> Self {
        Self { lexer: Lexer::new(text, at), end: at, ..Self::default() }
    }

    pub(super) fn error(&mut self, at: Range<usize>, kind: SyntaxErrorKind) {
        self.lexer.errors.push(SyntaxError::new(at, kind));
    }

    pub(super) fn too_many_errors(&self) -> bool {
        self.lexer.errors.len() > MAX_ERRORS
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.lexer.next();
        self.end = token.range.end;
        token
    }

    /// Runs `inside` one level deeper; too deep, it skips to the closing bracket.
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

    /// The name that a bare word or a string stands for.
    pub(super) fn name(&self, token: &Token) -> Name {
        Name { text: self.name_text(token).into(), range: byte_range(&token.range) }
    }

    /// A name that is likely to be in the file again.
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
