//! The tokens of a module as the formatter sees them: comments are among them, and each knows how many
//! lines end before it.

use std::ops::Range;

use crate::syntax::lexer::{is_name_part, is_name_start, number_len};
use crate::syntax::{heredoc, quoted};

/// The pairs of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    /// `{ }`
    Brace,
    /// `[ ]`
    Square,
    /// `( )`
    Round,
}

/// The kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name; it may hold dots and dashes.
    Name,
    /// A name in an expression that ends with a dot, so that what follows belongs to it: `a.*`.
    Dotted,
    /// `in` and `if` of a `for` expression.
    Keyword,
    Number,
    /// `".."`.
    Quoted,
    /// From `<<` to the closing marker.
    Heredoc,
    /// From `#` or `//` to the end of the line.
    LineComment,
    /// `/* .. */`.
    BlockComment,
    Open(Bracket),
    Close(Bracket),
    Comma,
    /// `=`
    Assign,
    Dot,
    /// `...`
    Ellipsis,
    /// `!`
    Not,
    Minus,
    /// `-` before its operand.
    Negate,
    Star,
    /// `*` that stands for every item.
    Splat,
    /// Every other operator.
    Operator,
    End,
}

impl Kind {
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Whether a value may end here: what follows is an operator, an index, or something new.
    pub(super) fn ends_operand(self) -> bool {
        matches!(
            self,
            Self::Name | Self::Number | Self::Quoted | Self::Heredoc | Self::Close(_) | Self::Splat
        )
    }
}

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Whether it goes over several lines.
    pub(super) tall: bool,
    /// How many lines end before it, at most 2.
    pub(super) lines: u8,
    /// Offsets fit because sources are limited to 16 MiB.
    start: u32,
    end: u32,
}

impl Token {
    pub(super) fn start(&self) -> usize {
        self.start as usize
    }

    pub(super) fn end(&self) -> usize {
        self.end as usize
    }

    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.start()..self.end()).unwrap_or("")
    }
}

/// The tokens of a source without mistakes; the last is [`Kind::End`].
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        let rest = source.get(at..).unwrap_or("");
        let blank = rest.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count();
        // Only the end of the scan matters of a long gap, so its lines are counted up to 2.
        let lines = rest.bytes().take(blank).filter(|b| *b == b'\n').take(2).count();
        at += blank;
        let rest = &rest[blank..];
        let (kind, length) = scan(source, at, rest);
        let text = &rest[..length];
        tokens.push(token(kind, at..at + length, lines, text.contains('\n')));
        if kind == Kind::End {
            return tokens;
        }
        at += length;
    }
}

fn token(kind: Kind, range: Range<usize>, lines: usize, tall: bool) -> Token {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Token {
        kind,
        tall,
        lines: u8::try_from(lines).unwrap_or(u8::MAX),
        start: narrow(range.start),
        end: narrow(range.end),
    }
}

/// The kind and the length of the token at the beginning of `rest`, which begins at `at`.
fn scan(source: &str, at: usize, rest: &str) -> (Kind, usize) {
    let Some(first) = rest.chars().next() else { return (Kind::End, 0) };
    match first {
        '"' => (Kind::Quoted, quoted::scan_quoted(source, at, false).end - at),
        '#' => (Kind::LineComment, line_comment_len(rest)),
        '/' if rest.starts_with("//") => (Kind::LineComment, line_comment_len(rest)),
        '/' if rest.starts_with("/*") => {
            (Kind::BlockComment, rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
        }
        '<' if rest.starts_with("<<") => (Kind::Heredoc, heredoc::scan_heredoc(rest).unwrap_or(rest.len())),
        '0'..='9' => (Kind::Number, number_len(rest)),
        c if is_name_start(c) => {
            let name = &rest[..rest.find(|c| !is_name_part(c)).unwrap_or(rest.len())];
            // In an expression three dots spread what is before them; more are part of a key.
            let spread = if name.contains("....") { None } else { name.find("...") };
            (Kind::Name, spread.unwrap_or(name.len()))
        }
        c => symbol(c, rest),
    }
}

/// Without the white space at its end.
fn line_comment_len(rest: &str) -> usize {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    line.trim_end_matches([' ', '\t', '\r']).len()
}

fn symbol(first: char, rest: &str) -> (Kind, usize) {
    let kind = match first {
        '{' => Kind::Open(Bracket::Brace),
        '[' => Kind::Open(Bracket::Square),
        '(' => Kind::Open(Bracket::Round),
        '}' => Kind::Close(Bracket::Brace),
        ']' => Kind::Close(Bracket::Square),
        ')' => Kind::Close(Bracket::Round),
        ',' => Kind::Comma,
        '.' if rest.starts_with("...") => return (Kind::Ellipsis, 3),
        '.' => Kind::Dot,
        '-' => Kind::Minus,
        '*' => Kind::Star,
        _ if ["==", "!=", "<=", ">=", "&&", "||", "=>"].iter().any(|two| rest.starts_with(two)) => {
            return (Kind::Operator, 2);
        }
        '=' => Kind::Assign,
        '!' => Kind::Not,
        _ => Kind::Operator,
    };
    (kind, first.len_utf8())
}
