//! Computed expressions, as HCL 2 has them: what stands where a value is expected and is no plain literal.
//!
//! Names here hold no dots, and strings are those of HCL 1: `${` in them is text.

mod collection;
mod cursor;
mod operand;
mod operators;
mod parser;

use std::ops::Range;

use self::cursor::Cursor;
use self::parser::{ErrorReported, Parser};
use super::characters::is_name_start;
use super::lexer::Lexer;
use super::tree::Expression;

pub(super) use self::cursor::{Newlines, begins_for};

/// An expression that could not be read; the problem is noted.
#[derive(Debug)]
pub(super) struct Interrupted {
    /// How far it was read.
    pub(super) at: usize,
    /// What closes the brackets that are open there.
    pub(super) open: Vec<char>,
}

/// Reads the expression that begins at `at`, after the token at `after` and inside `depth` blocks, lists and maps. The
/// problems go to the lexer. Gives where its text ends, too: an expression in parentheses ends before them.
pub(super) fn parse(
    lexer: &mut Lexer<'_>,
    at: usize,
    after: Range<usize>,
    newlines: Newlines,
    depth: usize,
) -> Result<(Expression, usize), Interrupted> {
    let mut parser =
        Parser { cursor: Cursor::new(lexer, at, after, newlines), outside: depth, depth, open: Vec::new() };
    match parser.expression().and_then(|node| parser.finish().map(|()| node)) {
        Ok(node) => Ok((node.expression, parser.cursor.at)),
        Err(ErrorReported) => Err(Interrupted { at: parser.cursor.at, open: parser.open }),
    }
}

impl Parser<'_, '_> {
    /// Whether what follows may follow an expression that is a whole value.
    fn finish(&mut self) -> Result<(), ErrorReported> {
        let rest = self.cursor.rest();
        let begins_value = |c: char| matches!(c, '"' | '{' | '[' | '(') || c.is_ascii_digit();
        let junk = match rest.chars().next() {
            None | Some('}' | ']' | ')' | ',' | '"') => false,
            Some(c) if is_name_start(c) => false,
            // The list says that a comma is missing.
            Some(c) if self.cursor.newlines == Newlines::Ignore => {
                !begins_value(c) && !rest.starts_with("<<")
            }
            Some(_) => true,
        };
        if junk { self.unexpected("an operator or the end of the value") } else { Ok(()) }
    }
}
