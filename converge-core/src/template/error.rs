//! What can be wrong with a template.

use std::fmt;
use std::ops::Range;

use crate::scope::{ScopeError, Suggest};

/// A template is wrong, or failed while it ran.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct TemplateError {
    /// What is wrong.
    pub kind: TemplateErrorKind,
    /// Where, in bytes of the template's text.
    pub range: Range<u32>,
}

impl TemplateError {
    pub(super) fn new(kind: TemplateErrorKind, start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { kind, range: narrow(start)..narrow(end) }
    }
}

/// What can be wrong with a template: the first group is found by [`parse`](super::Template::parse), the
/// second while it runs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// The text is longer than offsets can say.
    #[error("the template is longer than {limit} bytes")]
    TooLong {
        /// The most bytes that a template may have.
        limit: usize,
    },
    /// `{{` without `}}`.
    #[error("the action is not closed: `}}}}` is missing")]
    UnclosedAction,
    /// `{{/*` without `*/`.
    #[error("the comment is not closed: `*/}}}}` is missing")]
    UnclosedComment,
    /// Something follows a comment in its action.
    #[error("a comment must fill its action: `{{{{/* like this */}}}}`")]
    CommentNotAlone,
    /// A quote without its end.
    #[error("the string is not closed: {quote} is missing")]
    UnclosedString {
        /// The quote that is missing.
        quote: char,
    },
    /// `(` without `)`.
    #[error("the parenthesis is not closed")]
    UnclosedParen,
    /// `)` without `(`.
    #[error("the parenthesis was never opened")]
    StrayParen,
    /// `:` that is not part of `:=`.
    #[error("expected `:=` here")]
    LoneColon,
    /// A character that cannot stand where it does.
    #[error("the character {found:?} cannot stand here")]
    BadCharacter {
        /// The character.
        found: char,
    },
    /// Not a number that Go can read, or one that does not fit.
    #[error("`{text}` is not a number that can be used here")]
    BadNumber {
        /// What was written.
        text: String,
    },
    /// A backslash with something that it cannot escape.
    #[error("`{text}` is not an escape that a string can hold")]
    BadEscape {
        /// What was written.
        text: String,
    },
    /// A word where it cannot stand.
    #[error("unexpected {found} in {context}")]
    Unexpected {
        /// What was found, quoted.
        found: String,
        /// What was being read.
        context: &'static str,
    },
    /// A block without `{{end}}`.
    #[error("`{keyword}` is not closed: `{{{{end}}}}` is missing")]
    UnclosedBlock {
        /// The keyword that opened it.
        keyword: &'static str,
    },
    /// `{{end}}` or `{{else}}` that belongs to nothing.
    #[error("`{{{{{keyword}}}}}` belongs to no block")]
    StrayKeyword {
        /// The keyword.
        keyword: &'static str,
    },
    /// `{{break}}` or `{{continue}}` outside of a loop.
    #[error("`{{{{{keyword}}}}}` outside of `range`")]
    OutsideRange {
        /// The keyword.
        keyword: &'static str,
    },
    /// A pipeline without a value.
    #[error("a value is missing in {context}")]
    MissingValue {
        /// What was being read.
        context: &'static str,
    },
    /// More variables than can be set here.
    #[error("too many variables in {context}")]
    TooManyVariables {
        /// What was being read.
        context: &'static str,
    },
    /// A variable that was not declared.
    #[error("the variable `{name}` is not defined{}", Suggest(.close))]
    UndefinedVariable {
        /// The name, with its `$`.
        name: String,
        /// Names like it.
        close: Vec<String>,
    },
    /// A function that does not exist.
    #[error("there is no function `{name}`{}", Suggest(.close))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Names like it.
        close: Vec<String>,
    },
    /// A template that was not defined.
    #[error("the template {name:?} is not defined{}", Suggest(.close))]
    UndefinedTemplate {
        /// The name.
        name: String,
        /// Names like it.
        close: Vec<String>,
    },
    /// A template that was defined twice.
    #[error("the template {name:?} is defined twice")]
    DuplicateTemplate {
        /// The name.
        name: String,
    },
    /// A function with too few or too many arguments.
    #[error("`{function}` takes {}, but got {given}", Count(*.least, *.most))]
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// How many it needs.
        least: u8,
        /// How many it takes; `None` when any number.
        most: Option<u8>,
        /// How many there are.
        given: usize,
    },
    /// Arguments for something that is not a function.
    #[error("this is not a function, so it takes no arguments")]
    NotAFunction,
    /// `nil` on its own.
    #[error("`nil` is not a value on its own")]
    NilAlone,
    /// A field of something that has none, as in `"x".a`.
    #[error("a literal has no fields")]
    FieldOfLiteral,
    /// Blocks, parentheses or calls of templates in each other, too many.
    #[error("nested too deep: at most {limit} levels")]
    TooDeep {
        /// The most levels.
        limit: usize,
    },

    /// A value has no such field.
    #[error("{kind} has no field `{field}`{}", Suggest(.close))]
    NoField {
        /// The field.
        field: String,
        /// What the value is.
        kind: &'static str,
        /// Names like it.
        close: Vec<String>,
    },
    /// `range` over something that is not a list or a map.
    #[error("`range` needs a list or a map, not {kind}")]
    CannotRange {
        /// What the value is.
        kind: &'static str,
    },
    /// An argument of the wrong kind.
    #[error("`{function}` needs {expected} here, not {found}")]
    WrongKind {
        /// The function.
        function: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What the argument is.
        found: &'static str,
    },
    /// An index past the end.
    #[error("the index {index} is out of range: the length is {length}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// How many there are.
        length: usize,
    },
    /// A comparison of two kinds that cannot be compared.
    #[error("`{function}` cannot compare {left} with {right}")]
    Incomparable {
        /// The function.
        function: &'static str,
        /// What the left value is.
        left: &'static str,
        /// What the right value is.
        right: &'static str,
    },
    /// A parameter or an export is not there.
    #[error("{function}: {error}")]
    Scope {
        /// The function.
        function: &'static str,
        /// Why.
        error: ScopeError,
    },
    /// A function refused.
    #[error("{function}: {message}")]
    Call {
        /// The function.
        function: &'static str,
        /// Why.
        message: String,
    },
    /// A function refused a secret, and the reason could give the secret away.
    #[error("{function}: failed; the reason is not shown, because an argument is secret")]
    Secret {
        /// The function.
        function: &'static str,
    },
    /// A predicate with nothing in it.
    #[error("a predicate cannot be empty; write `true` for one that always holds")]
    EmptyPredicate,
    /// A predicate that gives something else.
    #[error("{found:?} is neither true nor false")]
    NotAPredicate {
        /// What it gave.
        found: String,
    },
    /// A predicate that is wrong when its braces are rendered.
    #[error("the predicate becomes {text:?}: {error}")]
    RenderedPredicate {
        /// What it becomes.
        text: String,
        /// What is wrong with that.
        error: Box<TemplateErrorKind>,
    },
    /// The template runs for too long or gives too much text.
    #[error("the template does too much work: loops or templates in each other repeat too often")]
    TooMuchWork,
}

impl TemplateErrorKind {
    /// Whether the message may show a part of an argument.
    pub(super) fn shows_arguments(&self) -> bool {
        matches!(self, Self::OutOfRange { .. } | Self::Scope { .. } | Self::Call { .. })
    }
}

/// How many arguments a function takes, in words.
pub(crate) struct Count(pub(crate) u8, pub(crate) Option<u8>);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |n: u8| if n == 1 { "" } else { "s" };
        match *self {
            Self(0, Some(0)) => f.write_str("no arguments"),
            Self(least, Some(most)) if least == most => write!(f, "{least} argument{}", plural(least)),
            Self(least, Some(most)) => write!(f, "{least} to {most} arguments"),
            Self(least, None) => write!(f, "at least {least} argument{}", plural(least)),
        }
    }
}
