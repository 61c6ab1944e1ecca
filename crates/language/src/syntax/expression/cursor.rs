//! The position of the expression parser in the text, and lookahead.

use std::ops::Range;

use crate::syntax::characters::{Blanks, blanks, is_name_start, name_len, simple_name_len};
use crate::syntax::error::{SyntaxError, SyntaxErrorKind, shorten};
use crate::syntax::lexer::{Lexer, Token};
use crate::syntax::tree::{Name, byte_range};

const OPERATORS: [&str; 7] = ["||", "&&", "==", "!=", "<=", ">=", "=>"];

/// Whether an expression continues on the next line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::syntax) enum Newlines {
    /// The expression ends with its line.
    Terminate,
    /// The expression is in brackets, where line ends are white space.
    Ignore,
}

/// A reader of symbols and names by the rules of HCL 2.
///
/// Literals are left to the lexer.
pub(super) struct Cursor<'l, 'a> {
    pub(super) lexer: &'l mut Lexer<'a>,
    /// The end of the text that has been read.
    pub(super) at: usize,
    /// The range of the last token that was read.
    pub(super) last: Range<usize>,
    /// The lookahead at `at`, cached because nearly every rule uses it.
    seen: Ahead<'a>,
    pub(super) newlines: Newlines,
}

/// The text after the white space at a position.
#[derive(Clone, Copy)]
struct Ahead<'a> {
    start: usize,
    /// Whether the white space contains a line end.
    line_ended: bool,
    rest: &'a str,
}

impl<'a> Ahead<'a> {
    fn skip_blanks(text: &'a str, offset: usize) -> Self {
        let text = text.get(offset..).unwrap_or("");
        if text.as_bytes().first().is_some_and(|first| *first > b'/') {
            // The byte begins neither white space nor a comment.
            return Self { start: offset, line_ended: false, rest: text };
        }
        let Blanks { length, line_ended, .. } = blanks(text);
        Self { start: offset + length, line_ended, rest: text.get(length..).unwrap_or("") }
    }
}

impl<'l, 'a> Cursor<'l, 'a> {
    pub(super) fn new(
        lexer: &'l mut Lexer<'a>,
        offset: usize,
        after: Range<usize>,
        newlines: Newlines,
    ) -> Self {
        let ahead = Ahead::skip_blanks(lexer.text, offset);
        Self { lexer, at: offset, last: after, seen: ahead, newlines }
    }

    /// Sets how line ends are treated from here on.
    ///
    /// Returns the previous setting.
    pub(super) fn set_newlines(&mut self, newlines: Newlines) -> Newlines {
        std::mem::replace(&mut self.newlines, newlines)
    }

    pub(super) fn error(&mut self, range: Range<usize>, kind: SyntaxErrorKind) {
        self.lexer.errors.push(SyntaxError::new(range, kind));
    }

    /// Returns the shortened text of a range, for messages.
    pub(super) fn slice(&self, range: &Range<usize>) -> String {
        shorten(self.lexer.slice(range))
    }

    /// Returns the range of the next `length` bytes after white space and line ends.
    pub(super) fn ahead(&self, length: usize) -> Range<usize> {
        self.seen.start..self.seen.start + length
    }

    /// Whether a line ends before the next token.
    pub(super) fn line_ended(&self) -> bool {
        self.seen.line_ended
    }

    /// Returns the text ahead; empty if the expression ends with its line.
    #[inline]
    pub(super) fn rest(&self) -> &'a str {
        if self.seen.line_ended && self.newlines == Newlines::Terminate { "" } else { self.seen.rest }
    }

    /// Returns the text ahead, including the next line.
    pub(super) fn rest_of_file(&self) -> &'a str {
        self.seen.rest
    }

    pub(super) fn advance(&mut self, length: usize) -> Range<usize> {
        let range = self.ahead(length);
        self.moved(range)
    }

    fn moved(&mut self, range: Range<usize>) -> Range<usize> {
        self.at = range.end;
        self.seen = Ahead::skip_blanks(self.lexer.text, self.at);
        self.last = range.clone();
        range
    }

    /// Moves to the next line if this one has ended and no other item begins there.
    pub(super) fn skip_line_end(&mut self) {
        if self.line_ended() && !self.item_ahead() {
            self.at = self.ahead(0).start;
            self.seen = Ahead::skip_blanks(self.lexer.text, self.at);
        }
    }

    #[inline]
    pub(super) fn eat(&mut self, symbol: &str) -> Option<Range<usize>> {
        self.rest().as_bytes().starts_with(symbol.as_bytes()).then(|| self.advance(symbol.len()))
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Option<Range<usize>> {
        let text = self.rest();
        (name(text) == Some(word)).then(|| self.advance(word.len()))
    }

    /// Reads a name of HCL 2, which has no dots.
    pub(super) fn name(&mut self) -> Option<(&'a str, Range<usize>)> {
        let name = name(self.rest())?;
        Some((name, self.advance(name.len())))
    }

    /// Converts a name that was read into a node of the tree.
    pub(super) fn name_at(&mut self, name: &'a str, range: &Range<usize>) -> Name {
        Name { text: self.lexer.names.word(name), range: byte_range(range) }
    }

    /// Reads a name that may contain dots, as keys of maps do.
    pub(super) fn key(&mut self) -> Option<(&'a str, Range<usize>)> {
        let rest = self.rest();
        if !rest.starts_with(is_name_start) {
            return None;
        }
        let length = name_len(rest);
        Some((&rest[..length], self.advance(length)))
    }

    pub(super) fn digits(&mut self) -> Option<(&'a str, Range<usize>)> {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        (length > 0).then(|| (&rest[..length], self.advance(length)))
    }

    /// Reads a string, a heredoc or a number.
    ///
    /// Its errors are recorded.
    pub(super) fn literal(&mut self) -> (Token, &'a str) {
        let start = self.ahead(0).start;
        self.lexer.rewind(start);
        let token = self.lexer.next_token();
        self.moved(token.range.clone());
        let raw = self.lexer.slice(&token.range);
        (token, raw)
    }

    /// Returns the word ahead, unless it is the name of the next item.
    pub(super) fn word(&self) -> Option<&'a str> {
        let rest = self.rest();
        let word = name(rest)?;
        let item = rest[word.len()..].trim_start_matches([' ', '\t']).starts_with(['=', '{']);
        (!item).then_some(word)
    }

    /// Returns the range of the token ahead, and its description for messages.
    pub(super) fn found(&self) -> (Range<usize>, String) {
        let rest = self.rest();
        let length = match rest.chars().next() {
            None if self.rest_of_file().is_empty() => return (self.ahead(0), "end of file".to_owned()),
            None => return (self.at..self.at, "end of the line".to_owned()),
            Some(_) if OPERATORS.iter().any(|operator| rest.starts_with(operator)) => 2,
            Some(first) => name(rest).map_or(first.len_utf8(), str::len),
        };
        let range = self.ahead(length);
        let actual = format!("`{}`", self.slice(&range));
        (range, actual)
    }

    /// Whether the next line can only be an attribute or a block.
    pub(super) fn item_ahead(&self) -> bool {
        if !self.line_ended() {
            return false;
        }
        let rest = self.rest_of_file();
        if !rest.starts_with(is_name_start) {
            return false;
        }
        let after = rest[name_len(rest)..].trim_start_matches([' ', '\t']);
        after.starts_with(['"', '{'])
            || after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>")
    }
}

fn name(rest: &str) -> Option<&str> {
    let is_start = match rest.as_bytes().first()? {
        first @ ..0x80 => first.is_ascii_alphabetic() || *first == b'_',
        _ => rest.starts_with(is_name_start),
    };
    is_start.then(|| &rest[..simple_name_len(rest)])
}

/// Whether a `for` expression begins; `rest` is the text after the opening bracket.
pub(in crate::syntax) fn begins_for(rest: &str) -> bool {
    let Some(rest) = rest[blanks(rest).length..].strip_prefix("for") else { return false };
    let space = blanks(rest).length;
    space > 0 && rest[space..].starts_with(|c| is_name_start(c) || c.is_ascii_digit())
}
