//! What the masker says about text that does not fit, and where it goes on.

use std::ops::Range;

use super::items::Container;
use super::{Bad, Masker};
use crate::syntax::error::{SyntaxErrorKind as Kind, shorten};
use crate::syntax::lexer::{Token, TokenKind, is_block_head};

/// How often an unclosed block may send the scan back to a later block, so that the cost stays linear.
const MAX_RESTARTS: usize = 8;

/// A block head at the start of a line, inside another block: if that is never closed, the mistake is likely
/// just before.
pub(super) struct Suspect {
    at: usize,
    /// The brace that was open there.
    open: Range<usize>,
    /// How many problems were known.
    errors: usize,
}

impl Masker<'_> {
    /// Remembers the first line that looks like a block of the file and not of this block.
    pub(super) fn note_suspect(&mut self, token: &Token, container: Container, open: &Range<usize>) {
        if self.suspect.is_none() && container == Container::Body && self.is_block_head(token) {
            let errors = self.lexer.errors.len();
            self.suspect = Some(Suspect { at: token.range.start, open: open.clone(), errors });
        }
    }

    /// Whether a line that looks like the head of a block begins with the token, without indentation.
    pub(super) fn is_block_head(&self, token: &Token) -> bool {
        let at = token.range.start;
        let line_start = at == 0 || self.lexer.text.as_bytes()[at - 1] == b'\n';
        line_start && is_block_head(self.lexer.text[at..].lines().next().unwrap_or(""))
    }

    /// Whether the name is that of an item and not a value: `=`, `{` or a label follows on its line.
    pub(super) fn begins_item(&self, name: &Token) -> bool {
        self.begins_attribute(name) || self.after(name).starts_with(['{', '"'])
    }

    /// Whether the token begins a line and `=` follows it.
    pub(super) fn begins_attribute(&self, name: &Token) -> bool {
        name.first_on_line && {
            let after = self.after(name);
            after.starts_with('=') && !after.starts_with("==")
        }
    }

    fn after(&self, token: &Token) -> &str {
        self.lexer.text[token.range.end..].trim_start_matches([' ', '\t'])
    }

    /// `t "x {` has lost its brace to the label; to take it back keeps what is inside in the block.
    pub(super) fn give_back_brace(&mut self, label: &Token) {
        let raw = self.lexer.slice(&label.range);
        if raw.ends_with('{') && !raw.ends_with("${") {
            self.end = label.range.end - 1;
            self.lexer.rewind(self.end);
        }
    }

    /// The file ends inside a block.
    pub(super) fn unclosed(&mut self, open: &Range<usize>, end: usize) -> Bad {
        self.stopped = true;
        // What swallowed the rest has been reported.
        if self.lexer.swallowed {
            return Bad;
        }
        match self.suspect.take().filter(|_| self.restarts < MAX_RESTARTS) {
            Some(suspect) => {
                self.restarts += 1;
                self.lexer.errors.truncate(suspect.errors);
                self.lexer.rewind(suspect.at);
                let kind = Kind::Unclosed { close: '}', open: suspect.open };
                self.error(suspect.at..suspect.at, kind);
            }
            None => self.error(end..end, Kind::Unclosed { close: '}', open: open.clone() }),
        }
        Bad
    }

    /// The list ends without `]`.
    pub(super) fn unclosed_list(&mut self, open: &Range<usize>, token: &Token) -> Bad {
        let at = token.range.start;
        if token.kind == TokenKind::End {
            self.stopped = true;
            if self.lexer.swallowed {
                return Bad;
            }
        }
        self.error(at..at, Kind::Unclosed { close: ']', open: open.clone() });
        Bad
    }

    /// The token is not what may stand here.
    pub(super) fn unexpected(&self, token: &Token, expected: &'static str) -> Kind {
        let found = match token.kind {
            TokenKind::End => "end of file".to_owned(),
            TokenKind::Symbol(c) if !matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | ',' | '=' | ':') => {
                return Kind::UnexpectedCharacter(c);
            }
            TokenKind::Heredoc => "heredoc".to_owned(),
            TokenKind::Name | TokenKind::Quoted | TokenKind::Number | TokenKind::Symbol(_) => {
                format!("`{}`", shorten(self.lexer.slice(&token.range)))
            }
        };
        Kind::Unexpected { found, expected }
    }

    /// Skips to the end of what has been opened, or to the next block if it has no end.
    pub(super) fn skip_nested(&mut self) {
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.lexer.peek();
            if token.kind == TokenKind::End || self.is_block_head(&token) {
                self.stopped = true;
                return;
            }
            match token.kind {
                TokenKind::Symbol('{' | '[') => depth += 1,
                TokenKind::Symbol('}' | ']') => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips to where the next item may begin.
    pub(super) fn recover(&mut self, last: &Token) {
        let opens = |token: &Token| usize::from(matches!(token.kind, TokenKind::Symbol('{' | '[' | '(')));
        let mut depth = opens(last);
        loop {
            let token = self.lexer.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Symbol('}') if depth == 0 => return,
                TokenKind::Name | TokenKind::Quoted if depth == 0 && token.first_on_line => return,
                TokenKind::Name if self.is_block_head(&token) => return,
                TokenKind::Symbol('}' | ']' | ')') => depth = depth.saturating_sub(1),
                _ => depth += opens(&token),
            }
            self.bump();
        }
    }
}
