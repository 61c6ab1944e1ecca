//! A function of templates: how it is called, what it gets and gives.

use std::sync::Arc;

use crate::types::scope::{Scope, ScopeError};

use super::super::data::budget::RunBudget;
use super::super::data::datum::{Data, Datum};
use super::super::error::TemplateErrorKind as Kind;

/// A function: its name, how many arguments it takes, and what it does.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) least: u8,
    /// `None`: any number.
    pub(crate) most: Option<u8>,
    /// Whether the first argument names something that makes a reference.
    pub(crate) names: NameUse,
    /// The fields of the record that it gives; empty where it gives none.
    pub(crate) fields: &'static [&'static str],
    pub(crate) run: Evaluation,
}

/// How a function is run.
pub(crate) enum Evaluation {
    /// All arguments are evaluated, none is unknown, then the function runs.
    Strict(fn(&mut BuiltinArgs<'_>) -> BuiltinResult),
    /// Stops at the first argument that is not true.
    And,
    /// Stops at the first argument that is true.
    Or,
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A name stands for one function only.
impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Builtin {
    /// A strict function that makes no reference.
    pub(crate) const fn new(
        name: &'static str,
        least: u8,
        most: Option<u8>,
        run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult,
    ) -> Self {
        Self { name, least, most, names: NameUse::None, fields: &[], run: Evaluation::Strict(run) }
    }

    pub(crate) const fn naming(
        name: &'static str,
        names: NameUse,
        run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult,
    ) -> Self {
        Self { name, least: 1, most: Some(1), names, fields: &[], run: Evaluation::Strict(run) }
    }

    pub(crate) const fn each(name: &'static str, run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult) -> Self {
        let fields = &["key", "value"];
        Self { name, least: 0, most: Some(0), names: NameUse::Each, fields, run: Evaluation::Strict(run) }
    }

    pub(crate) const fn short(name: &'static str, run: Evaluation) -> Self {
        Self { name, least: 1, most: None, names: NameUse::None, fields: &[], run }
    }
}

/// How a function uses its argument as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    None,
    Param,
    Lookup,
    Each,
}

/// The arguments of one call. None of them is unknown itself; their items may be.
pub(crate) struct BuiltinArgs<'a> {
    pub(crate) function: &'static str,
    pub(crate) values: &'a [Datum],
    pub(crate) scope: &'a dyn Scope,
    pub(crate) budget: &'a mut RunBudget,
}

/// What a function gives. The caller marks the result as secret when an argument is.
pub(crate) type BuiltinResult = Result<Datum, BuiltinError>;

/// Why a function gave nothing.
#[derive(Debug)]
pub(crate) struct BuiltinError {
    pub(crate) kind: Kind,
    /// The argument that is at fault.
    pub(crate) argument: Option<usize>,
}

impl From<Kind> for BuiltinError {
    fn from(kind: Kind) -> Self {
        Self { kind, argument: None }
    }
}

impl BuiltinArgs<'_> {
    /// The argument at `index`; Go's `nil` when there is none.
    pub(crate) fn get(&self, index: usize) -> &Datum {
        const NIL: &Datum = &Datum::plain(Data::Nil);
        self.values.get(index).unwrap_or(NIL)
    }

    /// The argument as text.
    pub(crate) fn text(&self, index: usize) -> Result<Arc<str>, BuiltinError> {
        match &self.get(index).data {
            Data::Text(text) => Ok(text.clone()),
            Data::Null => Ok(Arc::from("")),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// The failure of an argument that is not what the function needs.
    pub(crate) fn wrong(&self, index: usize, expected: &'static str) -> BuiltinError {
        let found = self.get(index).kind_name();
        let kind = Kind::WrongKind { function: self.function, expected, found };
        BuiltinError { kind, argument: Some(index) }
    }

    /// A failure in the function's own words.
    pub(crate) fn refuse(&self, message: impl Into<String>) -> BuiltinError {
        Kind::Call { function: self.function, message: message.into() }.into()
    }

    /// A failure of the scope.
    pub(crate) fn scope_failure(&self, error: ScopeError) -> BuiltinError {
        Kind::Scope { function: self.function, error }.into()
    }

    /// Counts text that is about to be made.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), BuiltinError> {
        self.budget.spend_bytes(bytes).map_err(BuiltinError::from)
    }
}
