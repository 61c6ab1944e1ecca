//! Modules: a recursive-descent parser that builds the tree in one pass and goes on after a mistake.
//!
//! Bodies, maps, lists and literals are read here. A value that turns out to be more than that, `[1][0]` say, is
//! read again from its first byte as an expression, by [`expression`](super::expression).

mod body;
mod brackets;
mod recover;
mod state;
mod value;

use std::ops::Range;

use self::body::Container;
pub(super) use self::state::Parser;
use super::error::{SyntaxError, SyntaxErrorKind, diagnostics};
use super::lexer::{TokenKind, text_start};
use super::limits::MAX_SOURCE_BYTES;
use super::names::Names;
use super::tree::{Body, Item};
use crate::diagnostic::{Diagnostics, FileId};

/// Parses a module. What can be read is in the tree, whatever is wrong with the rest.
///
/// An item with an error is left out of the tree: a wrong attribute from its block, a block whose head is
/// wrong or that is not closed from what is around it. Every error is reported, in the order of the text.
/// A byte order mark at the front is skipped; offsets count it.
pub fn parse(file: FileId, text: &str) -> (Body, Diagnostics) {
    parse_while(file, text, &|| true)
}

/// The same, as long as it goes on: it is asked before each item of the file.
pub(crate) fn parse_while(file: FileId, text: &str, goes_on: &dyn Fn() -> bool) -> (Body, Diagnostics) {
    let (body, errors) = if text.len() > MAX_SOURCE_BYTES {
        (Body::default(), vec![SyntaxError::too_large(text)])
    } else {
        let start = text_start(text);
        let mut parser = Parser::new(text, start);
        let mut items = Vec::new();
        parser.items_before(usize::MAX, start, goes_on, &mut |item| items.push(item));
        items.shrink_to_fit();
        (Body { items }, parser.lexer.errors)
    };
    (body, diagnostics(file, errors))
}

/// Where the items of a part of a text are.
pub(crate) struct Part {
    /// Where the first of them begins.
    pub(crate) first: usize,
    /// Where what comes after them begins.
    pub(crate) next: usize,
}

/// Parses the items that begin in a part of a text, and hands on each as soon as it is read; `None` when there is a mistake.
/// Whether it is at the beginning of an item that the part begins tells who parsed what is before it.
pub(crate) fn parse_part(
    text: &str,
    part: Range<usize>,
    goes_on: &dyn Fn() -> bool,
    take: &mut dyn FnMut(Item),
) -> Option<Part> {
    let start = if part.start == 0 { text_start(text) } else { part.start };
    let mut parser = Parser::new(text, start);
    let first = parser.lexer.peek().range.start;
    let next = parser.items_before(part.end, start, goes_on, take);
    parser.lexer.errors.is_empty().then_some(Part { first, next })
}

impl Parser<'_> {
    /// Reads the items of a file that begin before byte `until`, and gives where what is after them begins. The parser is at
    /// byte `start`.
    pub(in crate::syntax) fn items_before(
        &mut self,
        until: usize,
        start: usize,
        goes_on: &dyn Fn() -> bool,
        take: &mut dyn FnMut(Item),
    ) -> usize {
        let mut names = Names::new();
        let mut comma = false;
        while !self.too_many_errors() && goes_on() {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => break,
                _ if token.range.start >= until => break,
                TokenKind::Symbol('{') if self.end == start => {
                    self.error(token.range, SyntaxErrorKind::Json);
                    break;
                }
                TokenKind::Symbol(close @ ('}' | ']' | ')')) => {
                    self.bump();
                    self.error(token.range, SyntaxErrorKind::UnmatchedClose(close));
                }
                TokenKind::Symbol(',') if comma => {
                    self.bump();
                }
                _ => {
                    self.suspect = None;
                    if let Ok(item) = self.item(Container::Body, &mut names) {
                        take(item);
                    }
                    comma = true;
                }
            }
        }
        // The end of the file may have a problem too.
        self.lexer.next().range.start
    }
}
