//! A recursive-descent parser of modules, which builds the tree in one pass and recovers from errors.
//!
//! The parser handles bodies, maps, lists and literals. A value that turns out to be more, such as `[1][0]`,
//! is parsed again from its start as an expression, by [`expression`](super::expression).

mod body;
mod brackets;
mod recover;
mod state;
mod value;

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
        parser.top_level_items(start, goes_on, &mut |item| items.push(item));
        items.shrink_to_fit();
        (Body { items }, parser.lexer.errors)
    };
    (body, diagnostics(file, errors))
}

impl Parser<'_> {
    /// Parses the top-level items of a text and passes on each; the parser is at byte `start`.
    pub(in crate::syntax) fn top_level_items(
        &mut self,
        start: usize,
        goes_on: &dyn Fn() -> bool,
        take: &mut dyn FnMut(Item),
    ) {
        let mut names = Names::new();
        let mut comma = false;
        while !self.too_many_errors() && goes_on() {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => break,
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
        self.lexer.next_token();
    }
}
