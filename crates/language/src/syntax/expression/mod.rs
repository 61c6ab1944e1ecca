//! The parser of computed expressions by the rules of HCL 2, for values that are not plain literals.
//!
//! Names have no dots here, and strings are those of HCL 1: `${` in them is text.

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

/// An expression that could not be parsed.
///
/// Its error is recorded.
#[derive(Debug)]
pub(super) struct Interrupted {
    /// The end of the part that was read.
    pub(super) at: usize,
    /// The closing brackets of those that are open at that position.
    pub(super) open: Vec<char>,
}

/// Parses the expression at `at`.
///
/// The expression follows the token at `after`, inside `depth` blocks, lists and maps. Errors are recorded in
/// the lexer. Also returns the end of its text, which lies after enclosing parentheses that the tree omits.
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
    /// Checks that the next token may follow a complete value.
    fn finish(&mut self) -> Result<(), ErrorReported> {
        let rest = self.cursor.rest();
        let begins_value = |c: char| matches!(c, '"' | '{' | '[' | '(') || c.is_ascii_digit();
        let junk = match rest.chars().next() {
            None | Some('}' | ']' | ')' | ',' | '"') => false,
            Some(c) if is_name_start(c) => false,
            // The list parser reports the missing comma.
            Some(c) if self.cursor.newlines == Newlines::Ignore => {
                !begins_value(c) && !rest.starts_with("<<")
            }
            Some(_) => true,
        };
        if junk { self.unexpected("an operator or the end of the value") } else { Ok(()) }
    }
}
