//! What a function gets and gives.

use std::sync::Arc;

use super::datum::{Datum, Known};
use super::work::Work;
use crate::template::error::TemplateErrorKind as Kind;
use crate::template::{Scope, ScopeError};

/// The arguments of one call. None of them is unknown itself; their items may be.
pub(in crate::template) struct Args<'a> {
    pub(super) function: &'static str,
    pub(super) values: &'a [Datum],
    pub(super) scope: &'a dyn Scope,
    pub(super) work: &'a mut Work,
}

/// What a function gives. The caller marks the result as secret when an argument is.
pub(in crate::template) type Outcome = Result<Datum, Failure>;

/// Why a function gave nothing.
#[derive(Debug)]
pub(in crate::template) struct Failure {
    pub(super) kind: Kind,
    /// The argument that is at fault.
    pub(super) argument: Option<usize>,
}

impl From<Kind> for Failure {
    fn from(kind: Kind) -> Self {
        Self { kind, argument: None }
    }
}

impl Args<'_> {
    /// The argument at `index`; Go's `nil` when there is none.
    pub(super) fn get(&self, index: usize) -> &Datum {
        const NIL: &Datum = &Datum::plain(Known::Nil);
        self.values.get(index).unwrap_or(NIL)
    }

    /// The argument as text.
    pub(in crate::template) fn text(&self, index: usize) -> Result<Arc<str>, Failure> {
        match &self.get(index).known {
            Known::Text(text) => Ok(text.clone()),
            Known::Null => Ok(Arc::from("")),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// The failure of an argument that is not what the function needs.
    pub(super) fn wrong(&self, index: usize, expected: &'static str) -> Failure {
        let found = self.get(index).kind_name();
        let kind = Kind::WrongKind { function: self.function, expected, found };
        Failure { kind, argument: Some(index) }
    }

    /// A failure in the function's own words.
    pub(in crate::template) fn refuse(&self, message: impl Into<String>) -> Failure {
        Kind::Call { function: self.function, message: message.into() }.into()
    }

    /// A failure of the scope.
    pub(super) fn scope_failure(&self, error: ScopeError) -> Failure {
        Kind::Scope { function: self.function, error }.into()
    }

    /// Counts text that is about to be made.
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Failure> {
        self.work.spend_bytes(bytes).map_err(Failure::from)
    }
}
