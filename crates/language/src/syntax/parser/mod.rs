//! A recursive-descent parser of modules, which builds the tree in one pass and recovers from errors.
//!
//! The parser handles bodies, maps, lists and literals. A value that turns out to be more, such as `[1][0]`,
//! is parsed again from its start as an expression, by [`expression`](super::expression).

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

/// Parses a module.
///
/// The tree holds everything that could be parsed.
///
/// An item with an error is left out of the tree: an invalid attribute from its block, a block with an
/// invalid head or without end from its container. Every error is reported, in the order of the text. A byte
/// order mark at the start is skipped; offsets count it.
pub fn parse(file: FileId, text: &str) -> (Body, Diagnostics) {
    parse_while(file, text, &|| true)
}

/// Like [`parse`], but calls `goes_on` before each top-level item, and stops when it returns false.
#[doc(hidden)]
pub fn parse_while(file: FileId, text: &str, goes_on: &dyn Fn() -> bool) -> (Body, Diagnostics) {
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

/// The extent of the items in a part of a text.
#[doc(hidden)]
pub struct Part {
    /// The offset of the first item.
    #[doc(hidden)]
    pub first: usize,
    /// The offset after the items.
    #[doc(hidden)]
    pub next: usize,
}

/// Parses the items that begin in a part of a text, and passes on each as soon as it is parsed.
///
/// Returns `None` if there is an error. The caller that parses the text before must check that the part
/// begins at an item.
#[doc(hidden)]
pub fn parse_part(
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
    /// Parses the top-level items that begin before byte `until`.
    ///
    /// Returns the offset of the next item.
    ///
    /// The parser is at byte `start`.
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
        // Consumes the end token to record its errors.
        self.lexer.next_token().range.start
    }
}
