//! The lexemes of a module: tokens and comments, each with the number of line ends before it.

use crate::syntax::characters::{is_name_part, is_name_start, number_len};
use crate::syntax::{heredoc, quoted_string};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Brace,
    Square,
    Round,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind {
    /// A name, which may contain dots and dashes.
    Name,
    /// A name in an expression that ends with a dot, so that the next token belongs to it: `a.*`.
    Dotted,
    /// `in` or `if` of a `for` expression.
    Keyword,
    Number,
    Quoted,
    /// A heredoc, through its closing marker.
    Heredoc,
    /// A comment from `#` or `//` to the end of the line.
    LineComment,
    BlockComment,
    Open(Bracket),
    Close(Bracket),
    Comma,
    Assign,
    Dot,
    Ellipsis,
    Not,
    Minus,
    /// A `-` before its operand.
    Negate,
    Star,
    /// A `*` that stands for all items.
    Splat,
    Operator,
    End,
}

impl LexemeKind {
    pub(super) fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Whether a value may end with this lexeme, so that an operator, an index or a new value follows.
    pub(super) fn ends_operand(self) -> bool {
        matches!(
            self,
            Self::Name | Self::Number | Self::Quoted | Self::Heredoc | Self::Close(_) | Self::Splat
        )
    }
}

/// A token or a comment with its range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) kind: LexemeKind,
    /// Whether it spans several lines.
    pub(super) tall: bool,
    /// The number of line ends before it, at most 2.
    pub(super) lines: u8,
    /// The start offset.
    ///
    /// It fits because sources are limited to 16 MiB.
    start: u32,
    end: u32,
}

impl Lexeme {
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

/// Splits a source without errors into lexemes.
///
/// The last is [`LexemeKind::End`].
pub(super) fn lexemes(source: &str) -> Vec<Lexeme> {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut tokens = Vec::new();
    let mut offset = 0;
    loop {
        let rest = source.get(offset..).unwrap_or("");
        let blank = rest.bytes().take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count();
        // More than two line ends have no further effect.
        let lines = rest.bytes().take(blank).filter(|b| *b == b'\n').take(2).count();
        offset += blank;
        let rest = &rest[blank..];
        let (kind, length) = scan(source, offset, rest);
        let text = &rest[..length];
        tokens.push(Lexeme {
            kind,
            tall: text.contains('\n'),
            lines: u8::try_from(lines).unwrap_or(u8::MAX),
            start: narrow(offset),
            end: narrow(offset + length),
        });
        if kind == LexemeKind::End {
            return tokens;
        }
        offset += length;
    }
}

/// Returns the kind and length of the token at the start of `rest`, whose offset is `at`.
fn scan(source: &str, offset: usize, rest: &str) -> (LexemeKind, usize) {
    let Some(first) = rest.chars().next() else { return (LexemeKind::End, 0) };
    match first {
        '"' => (LexemeKind::Quoted, quoted_string::scan_quoted(source, offset, false).end - offset),
        '#' => (LexemeKind::LineComment, line_comment_len(rest)),
        '/' if rest.starts_with("//") => (LexemeKind::LineComment, line_comment_len(rest)),
        '/' if rest.starts_with("/*") => {
            (LexemeKind::BlockComment, rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
        }
        '<' if rest.starts_with("<<") => {
            (LexemeKind::Heredoc, heredoc::scan_heredoc(rest).unwrap_or(rest.len()))
        }
        '0'..='9' => (LexemeKind::Number, number_len(rest)),
        c if is_name_start(c) => {
            let name = &rest[..rest.find(|c| !is_name_part(c)).unwrap_or(rest.len())];
            // In an expression, three dots spread the value before them. Four or more belong to a key.
            let spread = if name.contains("....") { None } else { name.find("...") };
            (LexemeKind::Name, spread.unwrap_or(name.len()))
        }
        c => symbol(c, rest),
    }
}

/// Returns the length of a line comment without trailing white space.
fn line_comment_len(rest: &str) -> usize {
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    line.trim_end_matches([' ', '\t', '\r']).len()
}

fn symbol(first: char, rest: &str) -> (LexemeKind, usize) {
    let kind = match first {
        '{' => LexemeKind::Open(Bracket::Brace),
        '[' => LexemeKind::Open(Bracket::Square),
        '(' => LexemeKind::Open(Bracket::Round),
        '}' => LexemeKind::Close(Bracket::Brace),
        ']' => LexemeKind::Close(Bracket::Square),
        ')' => LexemeKind::Close(Bracket::Round),
        ',' => LexemeKind::Comma,
        '.' if rest.starts_with("...") => return (LexemeKind::Ellipsis, 3),
        '.' => LexemeKind::Dot,
        '-' => LexemeKind::Minus,
        '*' => LexemeKind::Star,
        _ if ["==", "!=", "<=", ">=", "&&", "||", "=>"].iter().any(|two| rest.starts_with(two)) => {
            return (LexemeKind::Operator, 2);
        }
        '=' => LexemeKind::Assign,
        '!' => LexemeKind::Not,
        _ => LexemeKind::Operator,
    };
    (kind, first.len_utf8())
}
