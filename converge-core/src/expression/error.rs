//! What can be wrong with an expression.

use std::ops::Range;

use crate::scope::{ScopeError, Suggest};
use crate::template::{Count, TemplateErrorKind};
use crate::value::ValueKind;

/// An expression is wrong, or failed while it was evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// What is wrong.
    pub kind: ExpressionErrorKind,
    /// Where, in bytes of the file: the argument, the operand or the name that is to blame.
    pub range: Range<u32>,
}

/// What can be wrong with an expression: the first group is found when a module is loaded, the second while
/// the expression is evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// A function that does not exist.
    #[error("there is no function `{name}`{}", Suggest(.close))]
    UnknownFunction {
        /// The name.
        name: String,
        /// Names like it.
        close: Vec<String>,
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
    /// A name that stands for nothing on its own.
    #[error("`{name}` is no variable here{}", SuggestName(.close))]
    UnknownName {
        /// The name.
        name: String,
        /// Variables and roots like it.
        close: Vec<String>,
    },
    /// `param`, `env`, `self`, `each` or `platform` without a name that is written out.
    #[error("`{root}` needs a name that is written out: `{root}.{example}`")]
    NeedsName {
        /// The root.
        root: &'static str,
        /// What could follow.
        example: &'static str,
    },
    /// A root that has no such name.
    #[error("`{root}` has no `{name}`{}", Suggest(.close))]
    UnknownRootName {
        /// `platform` or `each`.
        root: &'static str,
        /// The name.
        name: String,
        /// Names like it, or all of them.
        close: Vec<String>,
    },
    /// Both variables of a `for` have one name.
    #[error("the variable `{name}` is declared twice")]
    DuplicateVariable {
        /// The name.
        name: String,
    },
    /// A template in a string is wrong, or failed.
    #[error("{0}")]
    Template(Box<TemplateErrorKind>),
    /// More names or variables than can be told apart.
    #[error("the expression is too large")]
    TooLarge,

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
        found: Found,
    },
    /// A result that no number can hold.
    #[error("the result of `{operator}` does not fit into a number")]
    Overflow {
        /// The operator.
        operator: &'static str,
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
    /// `.name` of something that has no names.
    #[error("{found} has no `.{name}`{}", if *.found == ValueKind::List { "; `[*].` takes it from every item" } else { "" })]
    NoNames {
        /// The name.
        name: String,
        /// What the value is.
        found: ValueKind,
    },
    /// `[index]` of something that has no items.
    #[error("only a list or a map has items, not {found}")]
    NoItems {
        /// What the value is.
        found: ValueKind,
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
        found: Found,
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
    /// The expression takes too long or gives too much.
    #[error("the expression does too much work: it makes too many or too large values")]
    TooMuchWork,
}

impl ExpressionErrorKind {
    /// Whether the message may show a part of a value.
    pub(super) fn shows_values(&self) -> bool {
        match self {
            Self::WrongKind { found, .. } | Self::Argument { found, .. } => matches!(found, Found::Text(_)),
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

/// What was found in place of what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A value of this kind.
    Kind(ValueKind),
    /// This text, which does not say what is needed.
    Text(String),
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}
