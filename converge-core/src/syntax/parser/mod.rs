//! Modules: a recursive-descent parser that builds the tree in one pass and goes on after a mistake.
//!
//! Bodies, maps, lists and literals are read here. A value that turns out to be more than that, `[1][0]` say, is
//! read again from its first byte as an expression, by [`expression`](super::expression).

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
use super::tree::Body;
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
        let body = parser.file(start, goes_on);
        (body, parser.lexer.errors)
    };
    (body, diagnostics(file, errors))
}

impl Parser<'_> {
    /// The items of the file, which begins at byte `start`, as long as it goes on.
    pub(super) fn file(&mut self, start: usize, goes_on: &dyn Fn() -> bool) -> Body {
        let mut body = Body::default();
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
                    body.items.extend(self.item(Container::Body, &mut names));
                    comma = true;
                }
            }
        }
        // The end of the file may have a problem too.
        self.lexer.next();
        body.items.shrink_to_fit();
        body
    }
}
