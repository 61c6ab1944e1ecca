//! Syntax errors of a module as data, and their messages.

use std::ops::Range;

use super::limits::{MAX_ERRORS, MAX_SOURCE_BYTES};
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, Span};

/// A syntax error.
///
/// Ranges are byte offsets in the file; the first range of each is the primary one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) at: Range<usize>,
    pub(super) kind: SyntaxErrorKind,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SyntaxErrorKind {
    #[error("the module has {size} bytes; at most {limit} are read")]
    TooLarge { size: usize, limit: usize },
    #[error("more than {limit} levels of nesting")]
    TooDeep { limit: usize },
    #[error("JSON modules are not supported")]
    Json,
    #[error("unexpected character {0:?}")]
    UnexpectedCharacter(char),
    #[error("unexpected {found}, expected {expected}")]
    Unexpected { found: String, expected: &'static str },
    #[error("a name alone is not an item")]
    NameAlone,
    #[error("`{0}` closes nothing")]
    UnmatchedClose(char),
    #[error("`{close}` is missing")]
    Unclosed { close: char, open: Range<usize> },
    #[error("the string is not closed")]
    UnclosedString,
    #[error("`${{` in the string is not closed")]
    UnclosedInterpolation { open: Range<usize> },
    #[error("the heredoc is not closed")]
    UnclosedHeredoc { marker: String },
    #[error("the comment is not closed")]
    UnclosedComment,
    #[error("`<<` must be followed by a marker and the end of the line")]
    HeredocMarker,
    #[error("unknown escape `{0}`")]
    UnknownEscape(String),
    #[error("the escape `{0}` does not name a character")]
    EscapeRange(String),
    #[error("the escapes of this string do not make valid UTF-8")]
    NotUtf8,
    #[error("`{0}` is not a number")]
    InvalidNumber(String),
    #[error("`{0}` is not an octal number")]
    InvalidOctal(String),
    #[error("`{0}` does not fit in 64 bits")]
    NumberRange(String),
    #[error("`{name}` is written twice")]
    Duplicate { name: String, first: Range<usize> },
    #[error("no value after `=`")]
    MissingValue,
    #[error("`:` instead of `=`")]
    Colon,
    #[error("a comma is missing in the list")]
    MissingComma,
    #[error("a name with labels cannot have a value")]
    LabelledValue,
    #[error("a block inside a map cannot have labels")]
    LabelledMapBlock,
    #[error("no space to tell these items apart")]
    Crowded,
    #[error("no value after `{after}`")]
    MissingOperand { after: String, in_next_line: bool },
    #[error("`{found}` is not an operator")]
    NoOperator { found: String, meant: &'static str },
    #[error("a condition with `?` needs a value after `:` too")]
    NoOther { question: Range<usize> },
    #[error("only a name can be called")]
    NotAFunction,
    #[error("no name after `.`")]
    MissingName,
    #[error("this `for` is not complete: unexpected {found}, expected {expected}")]
    BadFor { found: String, expected: &'static str },
    #[error("`=>` in a `for` that makes a list")]
    ArrowInList,
    #[error("a string is written in double quotes")]
    Quotes,
    #[error("a template stands in quotes")]
    BareTemplate,
    #[error("`${{ }}` stands only in strings, where it is text")]
    BareInterpolation,
    #[error("too many errors; what follows was not read")]
    TooMany,
}

impl SyntaxErrorKind {
    fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "file-too-large",
            Self::TooDeep { .. } => "nesting-too-deep",
            Self::Json => "json-module",
            Self::UnexpectedCharacter(_) => "unexpected-character",
            Self::Unexpected { .. } => "unexpected-token",
            Self::NameAlone => "name-alone",
            Self::UnmatchedClose(_) => "unmatched-close",
            Self::Unclosed { .. } => "missing-close",
            Self::UnclosedString | Self::UnclosedInterpolation { .. } => "unclosed-string",
            Self::UnclosedHeredoc { .. } => "unclosed-heredoc",
            Self::UnclosedComment => "unclosed-comment",
            Self::HeredocMarker => "heredoc-marker",
            Self::UnknownEscape(_) | Self::EscapeRange(_) | Self::NotUtf8 => "invalid-escape",
            Self::InvalidNumber(_) | Self::InvalidOctal(_) => "invalid-number",
            Self::NumberRange(_) => "number-range",
            Self::Duplicate { .. } => "duplicate-name",
            Self::MissingValue => "missing-value",
            Self::Colon => "colon-for-equals",
            Self::MissingComma => "missing-comma",
            Self::LabelledValue => "labelled-value",
            Self::LabelledMapBlock => "labelled-map-block",
            Self::Crowded => "crowded-items",
            Self::MissingOperand { .. } => "missing-operand",
            Self::NoOperator { .. } => "unknown-operator",
            Self::NoOther { .. } => "incomplete-conditional",
            Self::NotAFunction => "not-a-function",
            Self::MissingName => "missing-name",
            Self::BadFor { .. } | Self::ArrowInList => "bad-for",
            Self::Quotes => "wrong-quotes",
            Self::BareTemplate => "bare-template",
            Self::BareInterpolation => "bare-interpolation",
            Self::TooMany => "too-many-errors",
        }
    }

    /// Whether the error is an unclosed literal, after which the text cannot be interpreted.
    pub(super) fn hides_what_follows(&self) -> bool {
        matches!(
            self,
            Self::UnclosedString
                | Self::UnclosedInterpolation { .. }
                | Self::UnclosedHeredoc { .. }
                | Self::HeredocMarker
        )
    }

    fn label(&self) -> &'static str {
        match self {
            Self::TooDeep { .. } => "this level is one too many",
            Self::NameAlone => "expected `=` or `{`",
            Self::Json => "a module begins with the name of a block",
            Self::Unclosed { .. } => "expected before here",
            Self::UnclosedString => "no `\"` before the end of the line",
            Self::UnclosedInterpolation { .. } => "the string ends here at the latest",
            Self::UnclosedHeredoc { .. } | Self::UnclosedComment => "never closed",
            Self::Duplicate { .. } => "written again here",
            Self::MissingValue | Self::MissingOperand { .. } => "expected a value",
            Self::NoOther { .. } => "expected `:`",
            Self::MissingComma => "expected `,` before this",
            Self::Crowded => "this item touches what is before it",
            _ => "",
        }
    }

    fn second(&self) -> Option<(&Range<usize>, &'static str)> {
        match self {
            Self::Unclosed { open, .. } | Self::UnclosedInterpolation { open } => Some((open, "opened here")),
            Self::Duplicate { first, .. } => Some((first, "first written here")),
            Self::NoOther { question } => Some((question, "the condition ends here")),
            _ => None,
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::TooLarge { .. } => "split it into several modules",
            Self::TooDeep { .. } => {
                "blocks and brackets are levels, and each operator or step of a chain is one"
            }
            Self::Json => "write it as HCL: `task \"name\" { check = \"..\" }`",
            Self::UnclosedInterpolation { .. } => {
                "inside `${ .. }` quotes and line ends belong to the string; close it with `}`"
            }
            Self::UnclosedString => {
                "a string ends on the line where it begins; for several lines use a heredoc, `<<EOF`"
            }
            Self::HeredocMarker => "write `<<EOF`, the lines, and `EOF` on a line of its own",
            Self::UnknownEscape(_) => {
                "known are \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\033 \\x41 \\u00e9 \\U0001f600; write `\\\\` for a backslash"
            }
            Self::InvalidOctal(_) => "a number that begins with 0 is octal and has only the digits 0 to 7",
            Self::NumberRange(_) => "quote it to keep every digit",
            Self::Colon => "use `=`: `name = value`",
            Self::LabelledValue => "remove the labels, or write a block: `name \"label\" { .. }`",
            Self::LabelledMapBlock => "write `name = { .. }`",
            Self::Crowded => "put each item on its own line",
            Self::UnclosedHeredoc { marker } => {
                return Some(format!("end it with `{marker}` on a line of its own"));
            }
            Self::MissingOperand { in_next_line: true, .. } => {
                "an expression ends with its line; to go on in the next, put it in parentheses"
            }
            Self::NoOperator { meant, .. } => return Some(format!("write `{meant}`")),
            Self::NoOther { .. } => "write `condition ? value : other`",
            Self::NotAFunction => "write `name(arguments)`",
            Self::BadFor { .. } => {
                "write `[for value in list : result]` or `{for key, value in map : key => result}`"
            }
            Self::ArrowInList => "for a map write `{ }` instead of `[ ]`",
            Self::Quotes => "write it between `\"` and `\"`, the straight quotes of the keyboard",
            Self::BareTemplate => "write it in a string: \"{{ .. }}\"",
            Self::BareInterpolation => "write the expression alone, or a template in quotes: \"{{ .. }}\"",
            _ => return None,
        };
        Some(text.to_owned())
    }
}

/// Shortens a text to one line for a message.
pub(super) fn shorten(text: &str) -> String {
    let mut excerpt: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if excerpt.len() < text.len() {
        excerpt.push_str("..");
    }
    excerpt
}

impl SyntaxError {
    pub(super) fn new(range: Range<usize>, kind: SyntaxErrorKind) -> Self {
        Self { at: range, kind }
    }

    pub(super) fn too_large(text: &str) -> Self {
        Self::new(0..0, SyntaxErrorKind::TooLarge { size: text.len(), limit: MAX_SOURCE_BYTES })
    }

    fn diagnostic(&self, file: FileId) -> Diagnostic {
        let span = |range: &Range<usize>| Span::new(file, range.start, range.end);
        let mut diagnostic = Diagnostic::error(self.kind.code(), self.kind.to_string())
            .label(span(&self.at), self.kind.label());
        if let Some((range, text)) = self.kind.second() {
            diagnostic = diagnostic.label(span(range), text);
        }
        match self.kind.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Converts the first errors of a file into diagnostics, in the order of the text.
pub(super) fn diagnostics(file: FileId, mut errors: Vec<SyntaxError>) -> Diagnostics {
    errors.sort_by_key(|error| error.at.start);
    if errors.len() > MAX_ERRORS {
        errors.truncate(MAX_ERRORS);
        let offset = errors.last().map_or(0, |error| error.at.end);
        errors.push(SyntaxError::new(offset..offset, SyntaxErrorKind::TooMany));
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors.iter().map(|error| error.diagnostic(file)));
    diagnostics
}
