//! Errors of templates and expressions.

use std::ops::Range;

use crate::diagnostic::Suggest;
use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::language::call_error::CallError;
use crate::types::scope::ScopeError;
use converge_value::debug_as_text;

/// An error in a template or an expression, found at load or during evaluation.
#[derive(Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct LanguageError {
    /// The kind of error.
    pub kind: LanguageErrorKind,
    /// The bytes that the error refers to, in the text of a template or in the file of an expression.
    pub range: Range<u32>,
}

debug_as_text!(LanguageError);

impl LanguageError {
    pub(super) fn new(kind: LanguageErrorKind, start: usize, end: usize) -> Self {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self { kind, range: narrow(start)..narrow(end) }
    }
}

/// The kind of an error in a template or an expression.
///
/// The first group is found when a module is loaded, the second during evaluation.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LanguageErrorKind {
    /// Another load error, described without any value.
    #[error("{0}")]
    Invalid(String),
    /// `{{` without `}}`.
    #[error("the action is not closed: `}}}}` is missing")]
    UnclosedAction,
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
    /// Blocks, parentheses or template calls that are nested too deeply.
    #[error("nested too deep: at most {limit} levels")]
    TooDeep {
        /// The maximum number of levels.
        limit: usize,
    },
    /// An error in a template inside a string of an expression.
    #[error("{0}")]
    Template(Box<LanguageErrorKind>),

    /// A name that the scope cannot resolve, such as a parameter or an export.
    #[error("{}{error}", .function.map(|name| format!("{name}: ")).unwrap_or_default())]
    Scope {
        /// The function of a template that asked for the name.
        function: Option<&'static str>,
        /// The error of the scope.
        error: ScopeError,
    },
    /// `each` in a resource without a `for_each`.
    #[error("`each` is only known in a resource or a module with `for_each`")]
    NoEach,
    /// An operand of the wrong kind, or text that cannot be turned into the right one.
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
    /// An index that is negative or past the end.
    #[error("the index {index} is out of range: the length is {length}")]
    OutOfRange {
        /// The index.
        index: i64,
        /// The length of the indexed value.
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
        last: Box<LanguageErrorKind>,
    },
    /// An operation that failed because of a secret.
    ///
    /// The reason is withheld because it could reveal the secret.
    #[error("{place}: failed; the reason is not shown, because {secret} is secret")]
    Secret {
        /// The function or the operation.
        place: &'static str,
        /// The secret part: `a value`, or `an argument` in a template.
        secret: &'static str,
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
        error: Box<LanguageErrorKind>,
    },
    /// An evaluation that exceeds its work limit, or was cancelled.
    #[error(transparent)]
    TooMuchWork(#[from] OutOfSteps),
}

debug_as_text!(LanguageErrorKind);

impl LanguageErrorKind {
    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::Invalid(message.into())
    }

    /// Returns the error that hides why an operation failed.
    pub(super) const fn secret(place: &'static str) -> Self {
        Self::Secret { place, secret: "a value" }
    }

    /// Returns the error that hides why a function of a template failed.
    pub(super) const fn secret_argument(function: &'static str) -> Self {
        Self::Secret { place: function, secret: "an argument" }
    }

    /// Returns whether evaluating an alternative instead would fail with the same error.
    pub(super) fn is_final(&self) -> bool {
        matches!(self, Self::TooMuchWork(_))
    }

    /// Returns whether the message may contain a part of a value.
    fn shows_values(&self) -> bool {
        match self {
            Self::WrongKind { found, .. } | Self::Argument { found, .. } => matches!(found, Actual::Text(_)),
            Self::NoKey { .. }
            | Self::OutOfRange { .. }
            | Self::DuplicateKey { .. }
            | Self::Call { .. }
            | Self::Scope { .. } => true,
            Self::NothingWorked { last } => last.shows_values(),
            _ => false,
        }
    }

    /// Returns the error to report when a secret is involved.
    pub(super) fn hidden(self, place: &'static str) -> Self {
        if self.shows_values() { Self::secret(place) } else { self }
    }

    /// Returns the error to report when an argument of a function in a template is secret.
    pub(super) fn hidden_argument(self, function: &'static str) -> Self {
        if self.shows_values() { Self::secret_argument(function) } else { self }
    }

    /// Returns the error of a function of expressions as a template reports it.
    pub(super) fn in_template(self, function: &'static str) -> Self {
        match self {
            Self::Scope { error, .. } => Self::Scope { function: Some(function), error },
            Self::Secret { .. } => Self::secret_argument(function),
            other => other,
        }
    }
}

impl From<ScopeError> for LanguageErrorKind {
    fn from(error: ScopeError) -> Self {
        Self::Scope { function: None, error }
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
