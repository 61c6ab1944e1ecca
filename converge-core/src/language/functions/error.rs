//! Why a function gives nothing.

use crate::language::actual_value::Actual;
use crate::language::budget::OutOfSteps;
use crate::types::scope::ScopeError;

/// Why a function gave nothing. What calls it turns that into an error of its own language.
#[derive(Debug)]
pub(crate) enum FunctionErrorKind {
    /// An argument of the wrong kind.
    Argument { function: &'static str, expected: &'static str, found: Actual },
    /// The function refused, in its own words.
    Call { function: &'static str, message: String },
    /// A map has no such key.
    NoKey { key: String, close: Vec<String> },
    /// What it asked the scope for is not there.
    Scope(ScopeError),
    /// It failed for a secret, and the reason could give the secret away.
    Secret { function: &'static str },
    /// It takes more work than it may.
    TooMuchWork(OutOfSteps),
}

impl FunctionErrorKind {
    /// The same where a secret is involved.
    pub(crate) fn hidden(self, function: &'static str) -> Self {
        match self {
            Self::Argument { found: Actual::Kind(_), .. } | Self::TooMuchWork(_) => self,
            _ => Self::Secret { function },
        }
    }
}

/// Why a function gave nothing, and for which argument.
#[derive(Debug)]
pub(crate) struct FunctionError {
    pub(crate) kind: FunctionErrorKind,
    /// The argument that is at fault.
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
