//! The lexer by the rules of HCL 1.
//!
//! It never fails: errors are recorded and scanning continues.

use std::ops::Range;

use super::characters::{blanks, is_name_part, is_name_start, name_len, number_len};
use super::common_names::CommonNames;
use super::error::{SyntaxError, SyntaxErrorKind};
use super::{heredoc, quoted_string};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum TokenKind {
    /// A bare name, which may contain dots and dashes.
    Name,
    /// A quoted string: `".."`.
    Quoted,
    /// A heredoc: `<<EOF ..`.
    Heredoc,
    /// A number, validated when it is parsed.
    Number,
    Symbol(char),
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Token {
    #[doc(hidden)]
    pub kind: TokenKind,
    #[doc(hidden)]
    pub range: Range<usize>,
    /// Whether the token is the first on its line.
    #[doc(hidden)]
    pub first_on_line: bool,
}

#[derive(Default)]
#[doc(hidden)]
pub struct Lexer<'a> {
    pub(super) text: &'a str,
    at: usize,
    peeked: Option<Token>,
    /// Whether a `${` that is never closed was found.
    ///
    /// Further strings then treat `${` as text, so that the cost stays linear.
    unclosed_interpolation: bool,
    /// Whether an unclosed heredoc or comment swallowed the rest of the file.
    pub(super) swallowed: bool,
    /// The errors of consumed tokens.
    pub(super) errors: Vec<SyntaxError>,
    /// The errors of the peeked token.
    pending: Vec<SyntaxError>,
    pub(super) names: CommonNames<'a>,
    /// The number of scanned tokens.
    ///
    /// A token that is scanned again counts again.
    #[cfg(test)]
    pub(super) scanned: usize,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer that starts at byte `at`.
    #[doc(hidden)]
    pub fn new(text: &'a str, offset: usize) -> Self {
        Self { text, at: offset, ..Self::default() }
    }

    pub(super) fn peek(&mut self) -> Token {
        if let Some(token) = &self.peeked {
            return token.clone();
        }
        let token = self.scan();
        self.peeked = Some(token.clone());
        token
    }

    #[doc(hidden)]
    pub fn next_token(&mut self) -> Token {
        let token = self.peeked.take().unwrap_or_else(|| self.scan());
        self.errors.append(&mut self.pending);
        token
    }

    pub(super) fn rewind(&mut self, offset: usize) {
        self.at = offset;
        self.peeked = None;
        self.pending.clear();
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or("")
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&mut self, range: Range<usize>, kind: SyntaxErrorKind) {
        self.pending.push(SyntaxError::new(range, kind));
    }

    fn scan(&mut self) -> Token {
        #[cfg(test)]
        {
            self.scanned += 1;
        }
        let first_on_line = self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        let mut chars = rest.chars();
        let Some(first) = chars.next() else {
            return Token { kind: TokenKind::End, range: start..start, first_on_line };
        };
        let kind = match first {
            '"' => {
                self.quoted();
                TokenKind::Quoted
            }
            '<' if rest.starts_with("<<") => {
                self.heredoc();
                TokenKind::Heredoc
            }
            '0'..='9' => {
                self.at += number_len(rest);
                TokenKind::Number
            }
            '-' if chars.next().is_some_and(|c| c.is_ascii_digit()) => {
                self.at += 1 + number_len(&rest[1..]);
                TokenKind::Number
            }
            c if is_name_start(c) => {
                self.at += name_len(rest);
                TokenKind::Name
            }
            c => {
                self.at += c.len_utf8();
                TokenKind::Symbol(c)
            }
        };
        Token { kind, range: start..self.at, first_on_line }
    }

    /// Skips white space and comments.
    ///
    /// Returns whether a line ended or the file begins here.
    fn skip_blanks(&mut self) -> bool {
        let blanks = blanks(self.rest());
        let file_begins = self.at == 0;
        if let Some(open) = blanks.unclosed {
            let open = self.at + open..self.at + open + 2;
            self.swallowed = true;
            self.error(open, SyntaxErrorKind::UnclosedComment);
        }
        self.at += blanks.length;
        file_begins || blanks.line_ended
    }

    fn quoted(&mut self) {
        let start = self.at;
        let scan = quoted_string::scan_quoted(self.text, start, self.unclosed_interpolation);
        self.at = scan.end;
        if let Some(problem) = scan.problem {
            self.unclosed_interpolation |=
                matches!(problem.kind, SyntaxErrorKind::UnclosedInterpolation { .. });
            self.pending.push(problem);
            return;
        }
        if scan.escapes {
            for (range, kind) in quoted_string::check_escapes(self.slice(&(start..self.at))) {
                self.error(start + range.start..start + range.end, kind);
            }
        }
    }

    fn heredoc(&mut self) {
        let start = self.at;
        let (length, kind) = match heredoc::scan_heredoc(self.rest()) {
            Ok(length) => {
                self.at += length;
                return;
            }
            Err(problem) => problem,
        };
        if kind == SyntaxErrorKind::HeredocMarker {
            self.at += self.rest().lines().next().map_or(length, str::len);
        } else {
            // Scanning continues at the likely next block. This is done only once, so that the cost stays
            // linear.
            let next = if self.swallowed { None } else { next_block_head(self.rest()) };
            self.at = next.map_or(self.text.len(), |offset| start + offset);
            self.swallowed = true;
        }
        self.error(start..start + length, kind);
    }
}

pub(super) fn text_start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// Whether the line is the head of a block: a name, a quoted label, and `{` at its end.
pub(super) fn is_block_head(line: &str) -> bool {
    line.starts_with(is_name_start)
        && line.trim_start_matches(is_name_part).starts_with(" \"")
        && line.trim_end().ends_with('{')
}

/// Returns the offset of the first line after the current one that looks like the head of a block.
fn next_block_head(rest: &str) -> Option<usize> {
    let mut offset = 0;
    rest.split_inclusive('\n').enumerate().find_map(|(number, line)| {
        let start = offset;
        offset += line.len();
        (number > 0 && is_block_head(line)).then_some(start)
    })
}
