//! Errors of expressions.

use std::ops::Range;

use crate::diagnostic::Suggest;
use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::language::call_error::CallError;
use crate::language::functions::FunctionErrorKind;
use crate::language::template::TemplateErrorKind;
use crate::types::scope::ScopeError;

/// An error in an expression, found at load or during evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// The kind of error.
    pub kind: ExpressionErrorKind,
    /// The bytes of the file that the error refers to: an argument, an operand or a name.
    pub range: Range<u32>,
}

/// The kind of an expression error.
///
/// The first group is found when a module is loaded, the second during evaluation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// A call that can never succeed, whatever its arguments are.
    #[error(transparent)]
    Function(#[from] CallError),
    /// A name that cannot be used on its own.
    #[error("`{name}` is not a variable here{}", SuggestName(.close))]
    UnknownName {
        /// The name in the expression.
        name: String,
        /// Variables and roots with similar names.
        close: Vec<String>,
    },
    /// Another load error, described without any value.
    #[error("{0}")]
    Invalid(String),
    /// An error in a template inside a string.
    #[error("{0}")]
    Template(Box<TemplateErrorKind>),

    /// A name has no value.
    #[error("{0}")]
    Scope(ScopeError),
    /// `each` in a resource without a `for_each`.
    #[error("`each` is only known in a resource or a module with `for_each`")]
    NoEach,
    /// A value of the wrong kind, or text that cannot be turned into the right one.
    #[error("{place} needs {expected}, not {found}")]
    WrongKind {
        /// The operand or part that needs the value: an operator, or words like `the condition`.
        place: &'static str,
        /// The required kind of value.
        expected: &'static str,
        /// The actual value.
        found: Actual,
    },
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A key that a map does not have.
    #[error("there is no `{key}` in the map{}", Suggest(.close))]
    NoKey {
        /// The missing key.
        key: String,
        /// Similar keys of the map.
        close: Vec<String>,
    },
    /// A list index that is negative or past the end.
    #[error("the index {index} is out of range: the length is {length}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// The number of items in the list.
        length: usize,
    },
    /// Two entries of a map with the same key.
    #[error("the key `{key}` is given twice{}", if *.grouped { "; `...` after the value collects them in a list" } else { "" })]
    DuplicateKey {
        /// The repeated key.
        key: String,
        /// Whether a `...` would fix the error.
        grouped: bool,
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
    /// A `try` whose arguments all failed.
    #[error("try: no argument has a value; the last one: {last}")]
    NothingWorked {
        /// The error of the last argument.
        last: Box<ExpressionErrorKind>,
    },
    /// An operation that failed because of a secret.
    ///
    /// The reason is withheld because it could reveal the secret.
    #[error("{place}: failed; the reason is not shown, because a value is secret")]
    Secret {
        /// The function or the operation.
        place: &'static str,
    },
    /// An evaluation that exceeds its work limit, or was cancelled.
    #[error(transparent)]
    TooMuchWork(#[from] OutOfSteps),
}

impl ExpressionErrorKind {
    /// Returns whether evaluating an alternative instead would fail with the same error.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::TooMuchWork(_))
    }

    /// Returns whether the message may contain a part of a value.
    pub(super) fn shows_values(&self) -> bool {
        match self {
            Self::WrongKind { found, .. } | Self::Argument { found, .. } => matches!(found, Actual::Text(_)),
            Self::NoKey { .. }
            | Self::OutOfRange { .. }
            | Self::DuplicateKey { .. }
            | Self::Call { .. }
            | Self::Scope(_) => true,
            Self::NothingWorked { last } => last.shows_values(),
            _ => false,
        }
    }

    /// Returns the error to report when a secret is involved.
    pub(super) fn hidden(self, place: &'static str) -> Self {
        if self.shows_values() { Self::Secret { place } } else { self }
    }
}

impl From<FunctionErrorKind> for ExpressionErrorKind {
    fn from(kind: FunctionErrorKind) -> Self {
        match kind {
            FunctionErrorKind::Argument { function, expected, found } => {
                Self::Argument { function, expected, found }
            }
            FunctionErrorKind::Call { function, message } => Self::Call { function, message },
            FunctionErrorKind::NoKey { key, close } => Self::NoKey { key, close },
            FunctionErrorKind::Scope(error) => Self::Scope(error),
            FunctionErrorKind::Secret { function } => Self::Secret { place: function },
            FunctionErrorKind::TooMuchWork(reason) => Self::TooMuchWork(reason),
        }
    }
}

/// A hint for an unknown name: similar names, or the form of a resource name.
struct SuggestName<'a>(&'a [String]);

impl std::fmt::Display for SuggestName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [] => f.write_str("; a resource is named with its type, as in `TYPE.NAME.FIELD`"),
            close => write!(f, "{}", Suggest(close)),
        }
    }
}
