//! Arguments and results of functions that only templates have.

use std::ops::Range;
use std::sync::Arc;

use super::error::FunctionError;
use crate::language::actual_value::Actual;
use crate::language::budget::StepBudget;
use crate::language::data::datum::{Data, Datum};
use crate::language::data::sink::{NoText, Sink};
use crate::language::error::LanguageErrorKind as Kind;
use crate::types::scope::{Scope, ScopeError};

/// The arguments of one call in a template. No argument is unknown itself, but its items may be.
pub(crate) struct TemplateArgs<'a> {
    pub(crate) function: &'static str,
    pub(crate) place: Range<u32>,
    pub(crate) values: &'a [Datum],
    pub(crate) scope: &'a dyn Scope,
    pub(crate) budget: &'a StepBudget<'a>,
}

/// The result of a function; the caller marks it as secret if an argument is secret.
pub(crate) type TemplateResult = Result<Datum, FunctionError>;

impl From<NoText> for FunctionError {
    fn from(error: NoText) -> Self {
        let (kind, place) = error.into_parts();
        Self { kind, argument: None, place }
    }
}

impl TemplateArgs<'_> {
    /// Returns the argument at `index`, or Go's `nil` if it is absent.
    pub(crate) fn get(&self, index: usize) -> &Datum {
        const NIL: &Datum = &Datum::plain(Data::Nil);
        self.values.get(index).unwrap_or(NIL)
    }

    pub(crate) fn text(&self, index: usize) -> Result<Arc<str>, FunctionError> {
        let datum = self.get(index);
        match &datum.data {
            Data::Text(text) => Ok(text.clone()),
            Data::Null => Ok(Arc::from("")),
            _ if datum.textual => Ok(printed(datum)?.text.into()),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// Returns the error for an argument that is not `expected`.
    pub(crate) fn wrong(&self, index: usize, expected: &'static str) -> FunctionError {
        let found = Actual::Name(self.get(index).kind_name());
        FunctionError::from(Kind::Argument { function: self.function, expected, found }).at(index)
    }

    /// Returns the argument as the original Converge had it.
    ///
    /// A number or bool becomes text if the original had text there.
    pub(crate) fn as_original(&self, index: usize) -> Result<Datum, FunctionError> {
        let datum = self.get(index);
        match &datum.data {
            Data::Bool(_) | Data::Int(_) | Data::Float(_) if datum.textual => {
                Ok(printed(datum)?.into_datum())
            }
            _ => Ok(datum.clone()),
        }
    }

    /// Returns an error about an argument with the given message.
    pub(crate) fn refuse_at(&self, index: usize, message: impl Into<String>) -> FunctionError {
        self.refuse(message).at(index)
    }

    pub(crate) fn refuse(&self, message: impl Into<String>) -> FunctionError {
        Kind::Call { function: self.function, message: message.into() }.into()
    }

    pub(crate) fn scope_failure(&self, error: ScopeError) -> FunctionError {
        Kind::Scope { function: Some(self.function), error }.into()
    }

    /// Counts text before it is created.
    pub(crate) fn spend(&self, bytes: usize) -> Result<(), FunctionError> {
        self.budget.spend_bytes(bytes).map_err(FunctionError::from)
    }
}

pub(crate) fn printed(datum: &Datum) -> Result<Sink, NoText> {
    let mut sink = Sink::default();
    sink.value(datum)?;
    Ok(sink)
}
