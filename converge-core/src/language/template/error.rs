//! What can be wrong with a template.

use std::ops::Range;

use crate::diagnostic::Suggest;
use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::language::call_error::CallError;
use crate::language::functions::FunctionErrorKind;
use crate::sdk::error::Error;
use crate::types::scope::ScopeError;

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

impl From<TemplateError> for Error {
    fn from(error: TemplateError) -> Self {
        Self::other(error)
    }
}

/// What can be wrong with a template: the first group is found by [`parse`](super::Template::parse), the
/// second while it runs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// Anything else, in words that show no argument.
    #[error("{0}")]
    Invalid(String),
    /// `{{` without `}}`.
    #[error("the action is not closed: `}}}}` is missing")]
    UnclosedAction,
    /// A call that can never succeed, whatever its arguments are.
    #[error(transparent)]
    Function(#[from] CallError),
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
    /// A map has no such key.
    #[error("there is no `{key}` in the map{}", Suggest(.close))]
    NoKey {
        /// The key.
        key: String,
        /// Keys like it.
        close: Vec<String>,
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
    /// A parameter or an export is not there.
    #[error("{function}: {error}")]
    Scope {
        /// The function.
        function: &'static str,
        /// Why.
        error: ScopeError,
    },
    /// An argument of the wrong kind.
    #[error("`{function}` needs {expected} here, not {found}")]
    Argument {
        /// The function.
        function: &'static str,
        /// What it needs.
        expected: &'static str,
        /// What the argument is.
        found: Actual,
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
    /// It takes more work than it may.
    #[error(transparent)]
    TooMuchWork(#[from] OutOfSteps),
}

impl TemplateErrorKind {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Whether the message may show a part of an argument.
    pub(super) fn shows_arguments(&self) -> bool {
        match self {
            Self::NoKey { .. } | Self::OutOfRange { .. } | Self::Scope { .. } | Self::Call { .. } => true,
            Self::Argument { found, .. } => matches!(found, Actual::Text(_)),
            _ => false,
        }
    }

    /// What a function of the library says, of this name.
    pub(super) fn of_function(function: &'static str, kind: FunctionErrorKind) -> Self {
        match kind {
            FunctionErrorKind::Argument { function, expected, found } => {
                Self::Argument { function, expected, found }
            }
            FunctionErrorKind::Call { function, message } => Self::Call { function, message },
            FunctionErrorKind::NoKey { key, close } => Self::NoKey { key, close },
            FunctionErrorKind::Scope(error) => Self::Scope { function, error },
            FunctionErrorKind::Secret { function } => Self::Secret { function },
            FunctionErrorKind::TooMuchWork(reason) => Self::TooMuchWork(reason),
        }
    }
}
