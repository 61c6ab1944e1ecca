//! The lexer of templates: literal text, delimiters with trim markers, and the words of actions.

use crate::language::error::{LanguageError, LanguageErrorKind};

/// The kind of a token; its text is read from the source by its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// Literal text outside of actions, after trimming.
    Text,
    /// `{{`
    Open,
    /// `}}`
    Close,
    /// White space between the words of an action, which separates arguments.
    Space,
    /// `"..."`
    Quoted,
    /// `` `...` ``
    Raw,
    /// `'...'`
    Single,
    Number,
    /// `.name`, with the dot.
    Field,
    /// `.`
    Dot,
    /// `$` or `$name`.
    Variable,
    Identifier,
    Keyword(Keyword),
    /// `=`
    Assign,
    /// `:=`
    Declare,
    /// `|`
    Pipe,
    OpenParen,
    CloseParen,
    /// Any other printable ASCII character; only `,` has a meaning.
    Char,
    /// The end of the text, or the position of [`Lexed::error`].
    End,
}

/// Reserved words, which are not names of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    If,
    Else,
    End,
    Range,
    With,
    Define,
    Template,
    Block,
    Break,
    Continue,
    Nil,
    True,
    False,
}

impl Keyword {
    fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "if" => Self::If,
            "else" => Self::Else,
            "end" => Self::End,
            "range" => Self::Range,
            "with" => Self::With,
            "define" => Self::Define,
            "template" => Self::Template,
            "block" => Self::Block,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "nil" => Self::Nil,
            "true" => Self::True,
            "false" => Self::False,
            _ => return None,
        })
    }
}

/// A token and its range in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// All tokens up to the end of the text or the first error; the last is always [`TokenKind::End`].
#[derive(Debug)]
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) error: Option<LanguageError>,
}

/// Splits a text into tokens.
///
/// An error is stored beside the tokens, so that the parser can first report errors further left. `text` must
/// not be longer than `u32::MAX` bytes.
pub(super) fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::with_capacity(8) };
    let error = lexer.run().err();
    lexer.at = error.as_ref().map_or(text.len(), |error| error.range.start as usize);
    let end = lexer.at;
    lexer.push(TokenKind::End, end);
    Lexed { tokens: lexer.tokens, error }
}

const OPEN: &str = "{{";
const CLOSE: &str = "}}";

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
}

type LexResult = Result<(), LanguageError>;

/// Returns whether Go's `text/template` counts the byte as space.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        self.tokens.push(Token { kind, start: narrow(start), end: narrow(self.at) });
    }

    /// Emits the next `length` bytes as one token.
    fn take(&mut self, kind: TokenKind, length: usize) {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
    }

    fn fail<T>(start: usize, end: usize, message: impl Into<String>) -> Result<T, LanguageError> {
        Err(LanguageError::new(LanguageErrorKind::invalid(message), start, end))
    }

    fn run(&mut self) -> LexResult {
        let mut trim_start = false;
        loop {
            if trim_start {
                self.at += self.rest().bytes().take_while(|byte| is_space(*byte)).count();
            }
            let start = self.at;
            // Most texts are short, and setting up a substring searcher takes longer than the scan.
            let open = OPEN.as_bytes();
            let Some(length) = self.rest().as_bytes().windows(open.len()).position(|window| window == open)
            else {
                self.text_token(start, self.text.len());
                return Ok(());
            };
            let open = start + length;
            self.at = open + OPEN.len();
            let trims = self.byte(0) == Some(b'-') && self.byte(1).is_some_and(is_space);
            let text = &self.text[start..open];
            let end = if trims { start + text.trim_end_matches([' ', '\t', '\r', '\n']).len() } else { open };
            let inside = self.at + if trims { 2 } else { 0 };
            self.text_token(start, end);
            self.at = inside;
            if self.rest().starts_with("/*") {
                trim_start = self.comment(open)?;
            } else {
                self.tokens.push(token(TokenKind::Open, open, inside));
                trim_start = self.action(open)?;
            }
        }
    }

    fn text_token(&mut self, start: usize, end: usize) {
        if start < end {
            self.tokens.push(token(TokenKind::Text, start, end));
        }
        self.at = end;
    }

    /// Skips a comment, which fills its action; returns whether the text after it is trimmed.
    fn comment(&mut self, open: usize) -> Result<bool, LanguageError> {
        let Some(length) = self.rest().find("*/") else {
            return Self::fail(open, self.text.len(), "the comment is not closed: `*/}}` is missing");
        };
        self.at += length + 2;
        match self.close() {
            Some(length) => {
                self.at += length;
                Ok(length > CLOSE.len())
            }
            None => Self::fail(open, self.at, "a comment must fill its action: `{{/* like this */}}`"),
        }
    }

    /// Returns the length of a closing delimiter with its trim marker, if one begins here.
    fn close(&self) -> Option<usize> {
        if self.rest().starts_with(CLOSE) {
            return Some(CLOSE.len());
        }
        let trims = self.byte(0).is_some_and(is_space) && self.byte(1) == Some(b'-');
        (trims && self.rest().get(2..).is_some_and(|rest| rest.starts_with(CLOSE))).then_some(CLOSE.len() + 2)
    }

    /// Reads the words and the end of an action; returns whether the text after it is trimmed.
    fn action(&mut self, open: usize) -> Result<bool, LanguageError> {
        let mut parens: Vec<usize> = Vec::new();
        loop {
            if let Some(length) = self.close() {
                if let Some(&paren) = parens.last() {
                    return Self::fail(paren, paren + 1, "the parenthesis is not closed");
                }
                self.take(TokenKind::Close, length);
                return Ok(length > CLOSE.len());
            }
            let start = self.at;
            let Some(c) = self.rest().chars().next() else {
                return Err(LanguageError::new(LanguageErrorKind::UnclosedAction, open, start));
            };
            match c {
                ' ' | '\t' | '\r' | '\n' => self.space(),
                '=' => self.take(TokenKind::Assign, 1),
                ':' if self.byte(1) == Some(b'=') => self.take(TokenKind::Declare, 2),
                ':' => Self::fail(start, start + 1, "expected `:=` here")?,
                '|' => self.take(TokenKind::Pipe, 1),
                '"' => self.quoted('"', TokenKind::Quoted)?,
                '\'' => self.quoted('\'', TokenKind::Single)?,
                '`' => self.raw()?,
                '$' => self.name(TokenKind::Variable, TokenKind::Variable)?,
                '.' if !self.byte(1).is_some_and(|byte| byte.is_ascii_digit()) => {
                    self.name(TokenKind::Field, TokenKind::Dot)?;
                }
                '.' | '+' | '-' | '0'..='9' => self.number()?,
                '(' => {
                    parens.push(start);
                    self.take(TokenKind::OpenParen, 1);
                }
                ')' if parens.pop().is_none() => {
                    Self::fail(start, start + 1, "the parenthesis was never opened")?;
                }
                ')' => self.take(TokenKind::CloseParen, 1),
                c if is_word(c) => self.word()?,
                c if c.is_ascii_graphic() => self.take(TokenKind::Char, 1),
                found => {
                    Self::fail(
                        start,
                        start + found.len_utf8(),
                        format!("the character {found:?} cannot stand here"),
                    )?;
                }
            }
        }
    }

    fn space(&mut self) {
        let start = self.at;
        while self.close().is_none() && self.byte(0).is_some_and(is_space) {
            self.at += 1;
        }
        self.push(TokenKind::Space, start);
    }

    fn quoted(&mut self, quote: char, kind: TokenKind) -> LexResult {
        let mut escaped = false;
        for (index, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' => break,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == quote => {
                    self.take(kind, index + 1);
                    return Ok(());
                }
                _ => {}
            }
        }
        Self::fail(self.at, self.at + 1, format!("the string is not closed: {quote} is missing"))
    }

    fn raw(&mut self) -> LexResult {
        match self.rest().get(1..).and_then(|rest| rest.find('`')) {
            Some(length) => {
                self.take(TokenKind::Raw, length + 2);
                Ok(())
            }
            None => Self::fail(self.at, self.at + 1, "the string is not closed: ` is missing"),
        }
    }

    /// Reads a mark (`.` or `$`) with the name after it; a mark without a name is `bare`.
    fn name(&mut self, kind: TokenKind, bare_kind: TokenKind) -> LexResult {
        let start = self.at;
        self.at += 1;
        self.at += word_length(self.rest());
        let kind = if self.at == start + 1 { bare_kind } else { kind };
        self.terminated()?;
        self.push(kind, start);
        Ok(())
    }

    fn word(&mut self) -> LexResult {
        let start = self.at;
        self.at += word_length(self.rest());
        self.terminated()?;
        let keyword = Keyword::from_word(&self.text[start..self.at]);
        self.push(keyword.map_or(TokenKind::Identifier, TokenKind::Keyword), start);
        Ok(())
    }

    /// Checks that a word ends at a valid boundary: `a"b"` is an error, not two words.
    fn terminated(&self) -> LexResult {
        match self.rest().chars().next() {
            None | Some(' ' | '\t' | '\r' | '\n' | '.' | ',' | '|' | ':' | ')' | '(' | '}') => Ok(()),
            Some(character) => Self::fail(
                self.at,
                self.at + character.len_utf8(),
                format!("the character {character:?} cannot stand here"),
            ),
        }
    }

    /// Reads anything that looks like a number; [`super::literal`] validates it.
    fn number(&mut self) -> LexResult {
        let start = self.at;
        let mut previous = 0;
        let hex = {
            let digits = self.rest().trim_start_matches(['+', '-']);
            digits.starts_with("0x") || digits.starts_with("0X")
        };
        while let Some(byte) = self.byte(0) {
            let sign = matches!(byte, b'+' | b'-');
            let exponent = matches!(previous, b'p' | b'P') || !hex && matches!(previous, b'e' | b'E');
            let continues = byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'.')
                || sign && (self.at == start || exponent);
            if !continues || self.close().is_some() {
                break;
            }
            previous = byte;
            self.at += 1;
        }
        match self.rest().chars().next() {
            Some(c) if is_word(c) || matches!(c, '+' | '-') => {
                let text = self.text[start..self.at + c.len_utf8()].to_owned();
                Self::fail(
                    start,
                    self.at + c.len_utf8(),
                    format!("`{text}` is not a number that can be used here"),
                )
            }
            _ => {
                self.push(TokenKind::Number, start);
                Ok(())
            }
        }
    }
}

fn token(kind: TokenKind, start: usize, end: usize) -> Token {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Token { kind, start: narrow(start), end: narrow(end) }
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}
