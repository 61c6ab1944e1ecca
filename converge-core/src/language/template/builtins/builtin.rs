//! A function of templates: how it is called, what it gets and gives.

use std::ops::Range;
use std::sync::Arc;

use crate::language::budget::{OutOfSteps, StepBudget};
use crate::language::function_ref;
use crate::language::functions::{Function, PipePlace};
use crate::types::function::ModuleFunction;
use crate::types::scope::{Scope, ScopeError};

use super::super::data::datum::{Data, Datum};
use super::super::data::sink::{NoText, Sink};
use super::super::error::{TemplateError, TemplateErrorKind as Kind};

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
    /// Other spellings of these, which are taken as well.
    pub(crate) spellings: &'static [&'static str],
    /// Gives one field of that record, where no more is asked for: what is dear to make is then not made.
    pub(crate) field: Option<RecordField>,
    /// Whether it may be asked about a key that is missing.
    pub(crate) missing: Missing,
    /// Which argument is what is piped in.
    pub(crate) pipe: PipePlace,
    pub(crate) parameters: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) example: [&'static str; 2],
    pub(crate) run: Evaluation,
}

/// What a function does with a key that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// It is an error before the function runs.
    Refused,
    /// The function looks at it.
    Seen,
}

/// How a function is run.
pub(crate) enum Evaluation {
    /// All arguments are evaluated, none is unknown, then the function runs.
    Strict(fn(&mut BuiltinArgs<'_>) -> BuiltinResult),
    /// Stops at the first argument that is not true.
    And,
    /// Stops at the first argument that is true.
    Or,
    /// A function that expressions have, too.
    Library(&'static Function),
    /// A closure of the program.
    Own,
}

/// Gives the field of this name, which the record has.
pub(crate) type RecordField = fn(&mut BuiltinArgs<'_>, &str) -> BuiltinResult;

/// What a call calls.
pub(crate) type FunctionRef = function_ref::FunctionRef<Builtin>;

/// A function of the program.
pub(crate) fn own(function: &Arc<ModuleFunction>) -> FunctionRef {
    let count = function_ref::arity(function);
    let about = Builtin {
        least: count,
        most: Some(count),
        missing: Missing::Refused,
        ..Builtin::short(function.name(), Evaluation::Own)
    };
    FunctionRef::own(about, function)
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
        Self {
            name,
            least,
            most,
            names: NameUse::None,
            fields: &[],
            spellings: &[],
            field: None,
            missing: Missing::Refused,
            pipe: PipePlace::Last,
            parameters: "",
            doc: "",
            example: ["", ""],
            run: Evaluation::Strict(run),
        }
    }

    pub(crate) const fn naming(
        name: &'static str,
        names: NameUse,
        run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult,
    ) -> Self {
        Self {
            name,
            least: 1,
            most: Some(1),
            names,
            fields: &[],
            spellings: &[],
            field: None,
            missing: Missing::Refused,
            pipe: PipePlace::Last,
            parameters: "",
            doc: "",
            example: ["", ""],
            run: Evaluation::Strict(run),
        }
    }

    /// A function without arguments that gives a record: all of it, or one of these fields.
    pub(crate) const fn record(
        name: &'static str,
        run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult,
        fields: &'static [&'static str],
        field: RecordField,
    ) -> Self {
        Self { fields, field: Some(field), ..Self::new(name, 0, Some(0), run) }
    }

    /// The same function, which may be asked about a key that is missing.
    pub(crate) const fn sees_missing(mut self) -> Self {
        self.missing = Missing::Seen;
        self
    }

    /// A function that expressions have, too.
    pub(crate) const fn library(function: &'static Function) -> Self {
        Self {
            least: function.least,
            most: function.most,
            missing: if function.sees_missing { Missing::Seen } else { Missing::Refused },
            pipe: function.pipe,
            ..Self::short(function.name, Evaluation::Library(function))
        }
    }

    /// The same function, with what readers want to know: its parameters, what it gives, and a template with what that gives.
    pub(crate) const fn about(
        mut self,
        parameters: &'static str,
        doc: &'static str,
        example: [&'static str; 2],
    ) -> Self {
        self.parameters = parameters;
        self.doc = doc;
        self.example = example;
        self
    }

    pub(crate) const fn short(name: &'static str, run: Evaluation) -> Self {
        Self {
            name,
            least: 1,
            most: None,
            names: NameUse::None,
            fields: &[],
            spellings: &[],
            field: None,
            missing: Missing::Seen,
            pipe: PipePlace::Last,
            parameters: "",
            doc: "",
            example: ["", ""],
            run,
        }
    }
}

/// How a function uses its argument as a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    None,
    Param,
    Lookup,
    Local,
    Each,
}

/// The arguments of one call. None of them is unknown itself; their items may be.
pub(crate) struct BuiltinArgs<'a> {
    pub(crate) function: &'static str,
    /// The place of the call.
    pub(crate) place: Range<u32>,
    pub(crate) values: &'a [Datum],
    pub(crate) scope: &'a dyn Scope,
    pub(crate) budget: &'a StepBudget<'a>,
}

/// What a function gives. The caller marks the result as secret when an argument is.
pub(crate) type BuiltinResult = Result<Datum, BuiltinError>;

/// Why a function gave nothing.
#[derive(Debug)]
pub(crate) struct BuiltinError {
    pub(crate) kind: Kind,
    /// The argument that is at fault.
    pub(crate) argument: Option<usize>,
    /// Where it is, when that is neither the call nor an argument of it.
    pub(crate) place: Option<Range<u32>>,
}

impl From<Kind> for BuiltinError {
    fn from(kind: Kind) -> Self {
        Self { kind, argument: None, place: None }
    }
}

impl From<OutOfSteps> for BuiltinError {
    fn from(reason: OutOfSteps) -> Self {
        Kind::from(reason).into()
    }
}

impl From<TemplateError> for BuiltinError {
    fn from(error: TemplateError) -> Self {
        Self { kind: error.kind, argument: None, place: Some(error.range) }
    }
}

impl From<NoText> for BuiltinError {
    fn from(error: NoText) -> Self {
        let (kind, place) = error.into_parts();
        Self { kind, argument: None, place }
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
        let datum = self.get(index);
        match &datum.data {
            Data::Text(text) => Ok(text.clone()),
            Data::Null => Ok(Arc::from("")),
            _ if datum.textual => Ok(printed(datum)?.text.into()),
            _ => Err(self.wrong(index, "a string")),
        }
    }

    /// The failure of an argument that is not what the function needs.
    pub(crate) fn wrong(&self, index: usize, expected: &'static str) -> BuiltinError {
        let found = self.get(index).kind_name();
        let kind = Kind::WrongKind { function: self.function, expected, found };
        BuiltinError { kind, argument: Some(index), place: None }
    }

    /// The argument, as text where the original gave it as text and it is a number or a bool.
    pub(crate) fn as_original(&self, index: usize) -> Result<Datum, BuiltinError> {
        let datum = self.get(index);
        match &datum.data {
            Data::Bool(_) | Data::Int(_) | Data::Float(_) if datum.textual => {
                Ok(printed(datum)?.into_datum())
            }
            _ => Ok(datum.clone()),
        }
    }

    /// A failure of an argument, in the function's own words.
    pub(crate) fn refuse_at(&self, index: usize, message: impl Into<String>) -> BuiltinError {
        BuiltinError { argument: Some(index), ..self.refuse(message) }
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
    pub(crate) fn spend(&self, bytes: usize) -> Result<(), BuiltinError> {
        self.budget.spend_bytes(bytes).map_err(BuiltinError::from)
    }
}

/// A value as it prints.
pub(crate) fn printed(datum: &Datum) -> Result<Sink, NoText> {
    let mut sink = Sink::default();
    sink.value(datum)?;
    Ok(sink)
}
