//! Tokens by HCL 1's rules, each with its place. Never fails: what is wrong is noted, and scanning goes on.

use std::ops::Range;

use super::error::{SyntaxError, SyntaxErrorKind};
use super::{heredoc, quoted};

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A bare name; it may hold dots and dashes.
    Name,
    /// `".."`.
    Quoted,
    /// `<<EOF ..`.
    Heredoc,
    /// A number; its spelling is checked when it is read.
    Number,
    /// Any other character, each by itself.
    Symbol(char),
    /// The end of the file.
    End,
}

/// A token and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
    /// Whether it is the first on its line.
    pub(super) first_on_line: bool,
}

/// Reads tokens one after the other.
pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    at: usize,
    peeked: Option<Token>,
    /// A string whose `${` runs to the end of the file is scanned only once like that, so that the
    /// cost stays linear.
    unclosed_interpolation: bool,
    /// Whether a heredoc or a comment goes on to the end of the file.
    pub(super) swallowed: bool,
    /// The problems of the tokens that were used.
    pub(super) errors: Vec<SyntaxError>,
    /// The problems of the token that was only looked at.
    pending: Vec<SyntaxError>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            peeked: None,
            unclosed_interpolation: false,
            swallowed: false,
            errors: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// The next token, left where it is.
    pub(super) fn peek(&mut self) -> Token {
        if let Some(token) = &self.peeked {
            return token.clone();
        }
        let token = self.scan();
        self.peeked = Some(token.clone());
        token
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Token {
        let token = self.peeked.take().unwrap_or_else(|| self.scan());
        self.errors.append(&mut self.pending);
        token
    }

    /// Goes back to an earlier place.
    pub(super) fn rewind(&mut self, at: usize) {
        self.at = at;
        self.peeked = None;
        self.pending.clear();
    }

    pub(super) fn slice(&self, range: &Range<usize>) -> &'a str {
        self.text.get(range.clone()).unwrap_or("")
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&mut self, at: Range<usize>, kind: SyntaxErrorKind) {
        self.pending.push(SyntaxError::new(at, kind));
    }

    fn scan(&mut self) -> Token {
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
                self.at += rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
                TokenKind::Name
            }
            c => {
                self.at += c.len_utf8();
                TokenKind::Symbol(c)
            }
        };
        Token { kind, range: start..self.at, first_on_line }
    }

    /// Skips white space and comments; says whether a line ended, or the file begins here.
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
        let scan = quoted::scan_quoted(self.text, start, self.unclosed_interpolation);
        self.at = scan.end;
        match scan.problem {
            None => {}
            Some(quoted::QuotedProblem::Unclosed) => {
                self.error(start..scan.end, SyntaxErrorKind::UnclosedString);
                return;
            }
            Some(quoted::QuotedProblem::UnclosedInterpolation { open }) => {
                self.unclosed_interpolation = true;
                self.error(
                    scan.end..scan.end,
                    SyntaxErrorKind::UnclosedInterpolation { open: open..open + 2 },
                );
                return;
            }
        }
        if scan.escapes {
            let range = start..self.at;
            let problems = quoted::check_escapes(self.slice(&range));
            self.pending.extend(
                problems
                    .into_iter()
                    .map(|(at, kind)| SyntaxError::new(start + at.start..start + at.end, kind)),
            );
        }
    }

    fn heredoc(&mut self) {
        let start = self.at;
        match heredoc::scan_heredoc(self.rest()) {
            Ok(length) => self.at += length,
            Err(heredoc::HeredocProblem::Marker { length }) => {
                self.error(start..start + length, SyntaxErrorKind::HeredocMarker);
                self.at += self.rest().lines().next().map_or(length, str::len);
            }
            Err(heredoc::HeredocProblem::Unclosed { marker }) => {
                let end = self.text.len();
                let open = start..start + self.rest().lines().next().unwrap_or("").len();
                // What looks like the next block is read, once, so that the cost stays linear.
                let next = if self.swallowed { None } else { next_block_head(self.rest()) };
                self.at = next.map_or(end, |at| start + at);
                self.swallowed = true;
                self.error(open, SyntaxErrorKind::UnclosedHeredoc { marker });
            }
        }
    }
}

/// White space and comments.
#[derive(Clone, Copy)]
pub(super) struct Blanks {
    pub(super) length: usize,
    /// Whether a line ends in them.
    pub(super) line_ended: bool,
    /// Where a comment begins that goes on to the end of the file.
    unclosed: Option<usize>,
}

/// The white space and comments at the beginning of a text.
pub(super) fn blanks(text: &str) -> Blanks {
    let mut blanks = Blanks { length: 0, line_ended: false, unclosed: None };
    loop {
        let rest = &text[blanks.length..];
        let space = rest.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count();
        if space > 0 {
            blanks.line_ended |= rest.as_bytes()[..space].contains(&b'\n');
            blanks.length += space;
        } else if rest.starts_with('#') || rest.starts_with("//") {
            blanks.length += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").map(|end| end + 4);
            if end.is_none() {
                blanks.unclosed = Some(blanks.length);
            }
            let length = end.unwrap_or(rest.len());
            blanks.line_ended |= rest.as_bytes()[..length].contains(&b'\n');
            blanks.length += length;
        } else {
            return blanks;
        }
    }
}

/// HCL 1: a letter or `_`.
pub(super) fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// HCL 1: letters, digits, `_`, `-`, `.`.
pub(super) fn is_name_part(c: char) -> bool {
    matches!(c, '_' | '-' | '.') || c.is_alphanumeric()
}

/// How far a number goes. Letters that touch it belong to it, so that `12abc` is one wrong number and
/// not a number and a name.
pub(super) fn number_len(rest: &str) -> usize {
    let mut previous = '0';
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    rest.char_indices()
        .find(|&(_, c)| {
            let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !hex;
            previous = c;
            !(sign || c == '_' || c == '.' || c.is_alphanumeric())
        })
        .map_or(rest.len(), |(at, _)| at)
}

/// Whether the line is the head of a block: a name, a quoted label, and `{` at its end.
pub(super) fn is_block_head(line: &str) -> bool {
    line.starts_with(is_name_start)
        && line.trim_start_matches(is_name_part).starts_with(" \"")
        && line.trim_end().ends_with('{')
}

/// The offset of the first line, after the one at hand, that looks like the head of a block.
fn next_block_head(rest: &str) -> Option<usize> {
    let mut at = 0;
    rest.split_inclusive('\n').enumerate().find_map(|(number, line)| {
        let start = at;
        at += line.len();
        (number > 0 && is_block_head(line)).then_some(start)
    })
}
