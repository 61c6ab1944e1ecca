//! Error messages of the parser, and recovery after errors.

use std::ops::Range;

use super::body::Container;
use super::brackets::OpenBrackets;
use super::state::{Abandoned, Parser, Suspect};
use crate::syntax::characters::is_name_part;
use crate::syntax::error::{SyntaxErrorKind, shorten};
use crate::syntax::expression::Newlines;
use crate::syntax::lexer::{Token, TokenKind, is_block_head};
use crate::syntax::limits::MAX_RESTARTS;

impl Parser<'_> {
    /// Records the first line in this block that looks like the head of a top-level block.
    pub(super) fn note_suspect(&mut self, token: &Token, container: Container, open: &Range<usize>) {
        if self.suspect.is_none() && container == Container::Body && self.is_block_head(token) {
            let errors = self.lexer.errors.len();
            self.suspect = Some(Suspect { at: token.range.start, open: open.clone(), errors });
        }
    }

    /// Whether the token begins an unindented line that looks like the head of a block.
    pub(super) fn is_block_head(&self, token: &Token) -> bool {
        let offset = token.range.start;
        let line_start = offset == 0 || self.lexer.text.as_bytes()[offset - 1] == b'\n';
        line_start && is_block_head(self.lexer.text[offset..].lines().next().unwrap_or(""))
    }

    /// Whether the name begins an item: `=`, `{` or a label follows on its line.
    pub(super) fn begins_item(&self, name: &Token) -> bool {
        self.begins_attribute(name) || self.after(name).starts_with(['{', '"'])
    }

    pub(super) fn begins_attribute(&self, name: &Token) -> bool {
        name.first_on_line && {
            let after = self.after(name);
            after.starts_with('=') && !after.starts_with("==")
        }
    }

    fn after(&self, token: &Token) -> &str {
        self.lexer.text[token.range.end..].trim_start_matches([' ', '\t'])
    }

    /// Takes back a brace that an unclosed label swallowed, as in `t "x {`.
    ///
    /// The block thereby keeps its content.
    pub(super) fn give_back_brace(&mut self, label: &Token) {
        let raw = self.lexer.slice(&label.range);
        if raw.ends_with('{') && !raw.ends_with("${") {
            self.end = label.range.end - 1;
            self.lexer.rewind(self.end);
        }
    }

    /// Reports that the file ends inside a block.
    pub(super) fn unclosed(&mut self, open: &Range<usize>, end: usize) -> Abandoned {
        // The unclosed literal or comment has already been reported.
        if self.lexer.swallowed {
            return Abandoned::TopLevelItem;
        }
        match self.suspect.take().filter(|_| self.restarts < MAX_RESTARTS) {
            Some(suspect) => {
                self.restarts += 1;
                self.lexer.errors.truncate(suspect.errors);
                self.lexer.rewind(suspect.at);
                let kind = SyntaxErrorKind::Unclosed { close: '}', open: suspect.open };
                self.error(suspect.at..suspect.at, kind);
            }
            None => self.error(end..end, SyntaxErrorKind::Unclosed { close: '}', open: open.clone() }),
        }
        Abandoned::TopLevelItem
    }

    /// Reports that a list ends without `]`.
    pub(super) fn unclosed_list(&mut self, open: &Range<usize>, token: &Token) -> Abandoned {
        let offset = token.range.start;
        let ended = token.kind == TokenKind::End;
        if !ended || !self.lexer.swallowed {
            self.error(offset..offset, SyntaxErrorKind::Unclosed { close: ']', open: open.clone() });
        }
        if ended { Abandoned::TopLevelItem } else { Abandoned::Item }
    }

    pub(super) fn unexpected(&self, token: &Token, expected: &'static str) -> SyntaxErrorKind {
        let actual = match token.kind {
            TokenKind::End => "end of file".to_owned(),
            TokenKind::Symbol('\'' | '“' | '”' | '‘' | '’') => return SyntaxErrorKind::Quotes,
            TokenKind::Symbol(c) if !matches!(c, '{' | '}' | '[' | ']' | '(' | ')' | ',' | '=' | ':') => {
                return SyntaxErrorKind::UnexpectedCharacter(c);
            }
            TokenKind::Heredoc => "heredoc".to_owned(),
            TokenKind::Name | TokenKind::Quoted | TokenKind::Number | TokenKind::Symbol(_) => {
                format!("`{}`", shorten(self.lexer.slice(&token.range)))
            }
        };
        SyntaxErrorKind::Unexpected { found: actual, expected }
    }

    /// Skips to the matching closing bracket, or to the next block if there is none.
    pub(super) fn skip_nested(&mut self) -> Abandoned {
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.lexer.peek();
            if token.kind == TokenKind::End || self.is_block_head(&token) {
                return Abandoned::TopLevelItem;
            }
            match token.kind {
                TokenKind::Symbol('{' | '[') => depth += 1,
                TokenKind::Symbol('}' | ']') => depth -= 1,
                _ => {}
            }
            self.bump();
        }
        Abandoned::Item
    }

    /// Skips to the position where the next item may begin.
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

    /// Whether an expression continues after the literal, list or map that was just parsed.
    pub(super) fn goes_on(&mut self, newlines: Newlines) -> bool {
        let next = self.lexer.peek();
        if next.first_on_line && newlines == Newlines::Terminate {
            return false;
        }
        match next.kind {
            TokenKind::Symbol(
                '+' | '-' | '*' | '/' | '%' | '<' | '>' | '=' | '!' | '&' | '|' | '?' | '.',
            ) => true,
            TokenKind::Symbol('(') => !next.first_on_line,
            // After white space, the bracket begins a new value, as after a forgotten comma.
            TokenKind::Symbol('[') => next.range.start == self.end,
            TokenKind::Number => !next.first_on_line && self.lexer.slice(&next.range).starts_with('-'),
            TokenKind::Name => {
                matches!(self.lexer.slice(&next.range), "and" | "or") && !self.begins_item(&next)
            }
            _ => false,
        }
    }

    /// Skips to the end of an invalid value that begins at `start`.
    ///
    /// `open` holds the closing brackets of those that are open where parsing stopped.
    pub(super) fn skip_value(&mut self, start: usize, open: &[char], newlines: Newlines) {
        let mut open = OpenBrackets::new(open);
        // The part that was read may end with an operator.
        let read = self.lexer.slice(&(start..self.end));
        let mut operand = read.ends_with(|c| is_name_part(c) && c != '-' && c != '.' || "\"])}".contains(c));
        loop {
            let token = self.lexer.peek();
            if self.value_ends(&token, start, &open, operand, newlines) {
                return;
            }
            match token.kind {
                TokenKind::Symbol('{') => open.push('}'),
                TokenKind::Symbol('[') => open.push(']'),
                TokenKind::Symbol('(') => open.push(')'),
                TokenKind::Symbol(close @ ('}' | ']' | ')')) => open.close(close),
                _ => {}
            }
            operand = !matches!(token.kind, TokenKind::Symbol(c) if !matches!(c, '}' | ']' | ')'));
            self.bump();
        }
    }

    /// Whether an invalid value ends before the token.
    fn value_ends(
        &self,
        token: &Token,
        start: usize,
        open: &OpenBrackets,
        operand: bool,
        newlines: Newlines,
    ) -> bool {
        let in_list = newlines == Newlines::Ignore;
        match token.kind {
            TokenKind::End => true,
            _ if token.range.start == start => false,
            TokenKind::Symbol(close @ ('}' | ']' | ')')) => !open.contains(close),
            _ if self.is_block_head(token) => true,
            TokenKind::Name if token.first_on_line && !open.contains('}') => {
                self.begins_item(token) || open.is_empty() && operand && !in_list
            }
            _ if !open.is_empty() => false,
            TokenKind::Symbol(',') => true,
            TokenKind::Name | TokenKind::Quoted | TokenKind::Heredoc => operand && !in_list,
            _ => token.first_on_line && operand && !in_list,
        }
    }
}
