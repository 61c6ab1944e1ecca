//! What can be wrong with an expression.

use std::ops::Range;

use crate::diagnostic::Suggest;
use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::language::call_error::CallError;
use crate::language::functions::FunctionErrorKind;
use crate::language::template::TemplateErrorKind;
use crate::types::scope::ScopeError;

/// An expression is wrong, or failed while it was evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// What is wrong.
    pub kind: ExpressionErrorKind,
    /// Where, in bytes of the file: the argument, the operand or the name that is wrong.
    pub range: Range<u32>,
}

/// What can be wrong with an expression: the first group is found when a module is loaded, the second while
/// the expression is evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// A call that can never succeed, whatever its arguments are.
    #[error(transparent)]
    Function(#[from] CallError),
    /// A name that stands for nothing on its own.
    #[error("`{name}` is no variable here{}", SuggestName(.close))]
    UnknownName {
        /// The name.
        name: String,
        /// Variables and roots like it.
        close: Vec<String>,
    },
    /// Anything else, in words that show no value.
    #[error("{0}")]
    Invalid(String),
    /// A template in a string is wrong, or failed.
    #[error("{0}")]
    Template(Box<TemplateErrorKind>),

    /// A name has no value.
    #[error("{0}")]
    Scope(ScopeError),
    /// `each` without a `for_each`.
    #[error("`each` is only known in a resource or a module with `for_each`")]
    NoEach,
    /// A value of the wrong kind, or text that cannot be turned into the right one.
    #[error("{place} needs {expected}, not {found}")]
    WrongKind {
        /// Which operand or part needs it: an operator, `the condition`.
        place: &'static str,
        /// What is needed.
        expected: &'static str,
        /// What was found.
        found: Actual,
    },
    /// A division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A map has no such key.
    #[error("there is no `{key}` in the map{}", Suggest(.close))]
    NoKey {
        /// The key.
        key: String,
        /// Keys like it.
        close: Vec<String>,
    },
    /// An index past the end, or in front of the beginning.
    #[error("the index {index} is out of range: the length is {length}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// How many there are.
        length: usize,
    },
    /// Two entries of a map with one key.
    #[error("the key `{key}` is given twice{}", if *.grouped { "; `...` after the value collects them in a list" } else { "" })]
    DuplicateKey {
        /// The key.
        key: String,
        /// Whether a `...` would help.
        grouped: bool,
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
    /// No argument of `try` could be evaluated.
    #[error("try: no argument has a value; the last one: {last}")]
    NothingWorked {
        /// What was wrong with the last one.
        last: Box<ExpressionErrorKind>,
    },
    /// Something failed for a secret, and the reason could give the secret away.
    #[error("{place}: failed; the reason is not shown, because a value is secret")]
    Secret {
        /// The function or the operation.
        place: &'static str,
    },
    /// It takes more work than it may.
    #[error(transparent)]
    TooMuchWork(#[from] OutOfSteps),
}

impl ExpressionErrorKind {
    /// Whether it would fail again, whatever is evaluated instead.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::TooMuchWork(_))
    }

    /// Whether the message may show a part of a value.
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

    /// The same error where a secret is involved.
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

/// Names that are close, or how a resource is named.
struct SuggestName<'a>(&'a [String]);

impl std::fmt::Display for SuggestName<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            [] => f.write_str("; a resource is named with its type, as in `TYPE.NAME.FIELD`"),
            close => write!(f, "{}", Suggest(close)),
        }
    }
}
