//! Errors of functions.

use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::types::scope::ScopeError;

/// The reason why a function failed. The caller converts it to an error of its own language.
#[derive(Debug)]
pub(crate) enum FunctionErrorKind {
    /// An argument has the wrong kind.
    Argument { function: &'static str, expected: &'static str, found: Actual },
    /// The function failed with this message.
    Call { function: &'static str, message: String },
    /// A map does not have the key.
    NoKey { key: String, close: Vec<String> },
    /// The scope does not have the requested item.
    Scope(ScopeError),
    /// The function failed for a secret, and the reason could reveal it.
    Secret { function: &'static str },
    /// The function exceeds the work budget.
    TooMuchWork(OutOfSteps),
}

impl FunctionErrorKind {
    /// Returns the error without details if a secret is involved.
    pub(crate) fn hidden(self, function: &'static str) -> Self {
        match self {
            Self::Argument { found: Actual::Kind(_), .. } | Self::TooMuchWork(_) => self,
            _ => Self::Secret { function },
        }
    }
}

/// The reason why a function failed, and the argument at fault.
#[derive(Debug)]
pub(crate) struct FunctionError {
    pub(crate) kind: FunctionErrorKind,
    /// The index of the argument at fault.
    pub(crate) argument: Option<usize>,
}

impl From<FunctionErrorKind> for FunctionError {
    fn from(kind: FunctionErrorKind) -> Self {
        Self { kind, argument: None }
    }
}

impl From<OutOfSteps> for FunctionError {
    fn from(reason: OutOfSteps) -> Self {
        FunctionErrorKind::TooMuchWork(reason).into()
    }
}
