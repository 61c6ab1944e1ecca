//! Errors of functions.

use std::ops::Range;

use crate::language::budget::OutOfSteps;
use crate::language::error::{LanguageError, LanguageErrorKind};

/// The reason why a function failed, and the argument at fault.
#[derive(Debug)]
pub(crate) struct FunctionError {
    pub(crate) kind: LanguageErrorKind,
    /// The index of the argument at fault.
    pub(crate) argument: Option<usize>,
    /// The range of the error, if it is neither the call nor an argument.
    pub(crate) place: Option<Range<u32>>,
}

impl FunctionError {
    /// Returns this error about one argument.
    pub(crate) fn at(self, index: usize) -> Self {
        Self { argument: Some(index), ..self }
    }
}

impl From<LanguageErrorKind> for FunctionError {
    fn from(kind: LanguageErrorKind) -> Self {
        Self { kind, argument: None, place: None }
    }
}

impl From<OutOfSteps> for FunctionError {
    fn from(reason: OutOfSteps) -> Self {
        LanguageErrorKind::from(reason).into()
    }
}

impl From<LanguageError> for FunctionError {
    fn from(error: LanguageError) -> Self {
        Self { place: Some(error.range), ..error.kind.into() }
    }
}
