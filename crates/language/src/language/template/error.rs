//! Errors of templates.

use std::ops::Range;

use crate::diagnostic::Suggest;
use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::language::call_error::CallError;
use crate::language::functions::FunctionErrorKind;
use crate::types::scope::ScopeError;

/// An error in a template, found by parsing or during a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct TemplateError {
    /// The kind of error.
    pub kind: TemplateErrorKind,
    /// The bytes of the template's text that the error refers to.
    pub range: Range<u32>,
}

impl TemplateError {
    pub(super) fn new(kind: TemplateErrorKind, start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { kind, range: narrow(start)..narrow(end) }
    }
}

/// The kind of a template error.
///
/// The first group is found by [`parse`](super::Template::parse), the second during a run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateErrorKind {
    /// Another parse error, described without any argument.
    #[error("{0}")]
    Invalid(String),
    /// `{{` without `}}`.
    #[error("the action is not closed: `}}}}` is missing")]
    UnclosedAction,
    /// A call that can never succeed, whatever its arguments are.
    #[error(transparent)]
    Function(#[from] CallError),
    /// Blocks, parentheses or template calls that are nested too deeply.
    #[error("nested too deep: at most {limit} levels")]
    TooDeep {
        /// The maximum number of levels.
        limit: usize,
    },

    /// A field that a value does not have.
    #[error("{kind} has no field `{field}`{}", Suggest(.close))]
    NoField {
        /// The missing field.
        field: String,
        /// The kind of the value.
        kind: &'static str,
        /// Similar field names.
        close: Vec<String>,
    },
    /// A key that a map does not have.
    #[error("there is no `{key}` in the map{}", Suggest(.close))]
    NoKey {
        /// The missing key.
        key: String,
        /// Similar keys of the map.
        close: Vec<String>,
    },
    /// An argument of the wrong kind.
    #[error("`{function}` needs {expected} here, not {found}")]
    WrongKind {
        /// The function.
        function: &'static str,
        /// The required value.
        expected: &'static str,
        /// The kind of the actual argument.
        found: &'static str,
    },
    /// An index past the end.
    #[error("the index {index} is out of range: the length is {length}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// The length of the indexed value.
        length: usize,
    },
    /// A name that the scope cannot resolve, such as a parameter or an export.
    #[error("{function}: {error}")]
    Scope {
        /// The function.
        function: &'static str,
        /// The error of the scope.
        error: ScopeError,
    },
    /// An argument of the wrong kind.
    #[error("`{function}` needs {expected} here, not {found}")]
    Argument {
        /// The function.
        function: &'static str,
        /// The required value.
        expected: &'static str,
        /// The actual argument.
        found: Actual,
    },
    /// An error reported by the function itself.
    #[error("{function}: {message}")]
    Call {
        /// The function.
        function: &'static str,
        /// The message of the function.
        message: String,
    },
    /// A function that failed because of a secret.
    ///
    /// The reason is withheld because it could reveal the secret.
    #[error("{function}: failed; the reason is not shown, because an argument is secret")]
    Secret {
        /// The function.
        function: &'static str,
    },
    /// A predicate whose result is neither true nor false.
    #[error("{found:?} is neither true nor false")]
    NotAPredicate {
        /// The actual result.
        found: String,
    },
    /// A predicate that is invalid after its braces are rendered.
    #[error("the predicate becomes {text:?}: {error}")]
    RenderedPredicate {
        /// The rendered text.
        text: String,
        /// The error in the rendered text.
        error: Box<TemplateErrorKind>,
    },
    /// A run that exceeds its work limit, or was cancelled.
    #[error(transparent)]
    TooMuchWork(#[from] OutOfSteps),
}

impl TemplateErrorKind {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns whether the message may contain a part of an argument.
    pub(super) fn shows_arguments(&self) -> bool {
        match self {
            Self::NoKey { .. } | Self::OutOfRange { .. } | Self::Scope { .. } | Self::Call { .. } => true,
            Self::Argument { found, .. } => matches!(found, Actual::Text(_)),
            _ => false,
        }
    }

    /// Converts an error of a function of expressions that is called `function`.
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
