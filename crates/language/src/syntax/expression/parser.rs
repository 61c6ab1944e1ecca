//! The state of the expression parser, and the construction of nodes.

use std::ops::Range;

use super::cursor::Cursor;
use crate::syntax::error::SyntaxErrorKind;
use crate::syntax::limits::MAX_DEPTH;
use crate::syntax::tree::{Computed, Expression, ExpressionKind, byte_range};

/// The expression cannot be parsed.
///
/// Its error is already recorded.
#[derive(Debug)]
pub(super) struct ErrorReported;

/// A node of the tree with data that the tree does not hold.
#[derive(Debug)]
pub(super) struct ParsedNode {
    pub(super) expression: Expression,
    /// The range of the node including enclosing parentheses.
    pub(super) outer: Range<usize>,
    /// The length of the longest path to a leaf.
    ///
    /// A leaf has height 0.
    pub(super) height: usize,
}

impl ParsedNode {
    pub(super) fn leaf(kind: ExpressionKind, outer: Range<usize>) -> Self {
        let expression = Expression { kind, range: byte_range(&outer) };
        Self { expression, outer, height: 0 }
    }
}

pub(super) struct Parser<'l, 'a> {
    pub(super) cursor: Cursor<'l, 'a>,
    /// The depth at which the expression begins.
    pub(super) outside: usize,
    pub(super) depth: usize,
    pub(super) open: Vec<char>,
}

impl Parser<'_, '_> {
    pub(super) fn fail<T>(&mut self, range: Range<usize>, kind: SyntaxErrorKind) -> Result<T, ErrorReported> {
        self.cursor.error(range, kind);
        Err(ErrorReported)
    }

    /// Creates a node above children, given the height of the tallest.
    pub(super) fn node(
        &mut self,
        kind: ExpressionKind,
        outer: Range<usize>,
        below: usize,
    ) -> Result<ParsedNode, ErrorReported> {
        if self.outside + below >= MAX_DEPTH {
            let last = self.cursor.last.clone();
            return self.fail(last, SyntaxErrorKind::TooDeep { limit: MAX_DEPTH });
        }
        let expression = Expression { kind, range: byte_range(&outer) };
        Ok(ParsedNode { expression, outer, height: below + 1 })
    }

    pub(super) fn computed(
        &mut self,
        computed: Computed,
        outer: Range<usize>,
        below: usize,
    ) -> Result<ParsedNode, ErrorReported> {
        self.node(ExpressionKind::Computed(Box::new(computed)), outer, below)
    }

    pub(super) fn nested<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, ErrorReported>,
    ) -> Result<T, ErrorReported> {
        if self.depth == MAX_DEPTH {
            let last = self.cursor.last.clone();
            return self.fail(last, SyntaxErrorKind::TooDeep { limit: MAX_DEPTH });
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    pub(super) fn unexpected<T>(&mut self, expected: &'static str) -> Result<T, ErrorReported> {
        let (range, actual) = self.cursor.found();
        self.fail(range, SyntaxErrorKind::Unexpected { found: actual, expected })
    }
}
