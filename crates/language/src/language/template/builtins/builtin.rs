//! Template functions: their description, arguments and results.

use std::ops::Range;
use std::sync::Arc;

use crate::language::actual_value::Actual;
use crate::language::budget::StepBudget;
use crate::language::function_ref;
use crate::language::functions::{Function, FunctionError, PipePlace};
use crate::types::function::ModuleFunction;
use crate::types::scope::{Scope, ScopeError};

use super::super::data::datum::{Data, Datum};
use super::super::data::sink::{NoText, Sink};
use crate::language::error::LanguageErrorKind as Kind;

/// The description and implementation of a template function.
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    pub(crate) least: u8,
    /// The maximum number of arguments; `None` if unlimited.
    pub(crate) most: Option<u8>,
    /// The kind of name in the first argument, which makes a reference.
    pub(crate) names: NameUse,
    /// The fields of the returned record; empty if the function returns none.
    pub(crate) fields: &'static [&'static str],
    /// Other accepted spellings of these fields.
    pub(crate) spellings: &'static [&'static str],
    /// Returns one field of the record, so that the others are not computed.
    pub(crate) field: Option<RecordField>,
    /// The handling of arguments that are missing keys.
    pub(crate) missing: Missing,
    /// The position of the piped argument.
    pub(crate) pipe: PipePlace,
    pub(crate) parameters: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) example: [&'static str; 2],
    pub(crate) run: Evaluation,
}

/// The handling of a missing key as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// A missing key is an error before the function runs.
    Refused,
    /// The function receives the missing key.
    Seen,
}

/// The way a function is evaluated.
pub(crate) enum Evaluation {
    /// All arguments are evaluated and known before the function runs.
    Strict(fn(&mut BuiltinArgs<'_>) -> BuiltinResult),
    /// Evaluation stops at the first argument that is false.
    And,
    /// Evaluation stops at the first argument that is true.
    Or,
    /// A function shared with expressions.
    Library(&'static Function),
    /// A function that the program registered.
    Own,
}

/// A function that returns the named field of its record.
pub(crate) type RecordField = fn(&mut BuiltinArgs<'_>, &str) -> BuiltinResult;

/// The target of a call in a template.
pub(crate) type FunctionRef = function_ref::FunctionRef<Builtin>;

/// Describes a function that the program registered.
pub(crate) fn own(function: &Arc<ModuleFunction>) -> FunctionRef {
    let count = function_ref::arity(function);
    let description = Builtin {
        least: count,
        most: Some(count),
        missing: Missing::Refused,
        ..Builtin::short(function.name(), Evaluation::Own)
    };
    FunctionRef::own(description, function)
}

impl std::fmt::Debug for Builtin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Functions are equal if their names are equal, because a name has only one function.
impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Builtin {
    /// Creates a strict function that makes no reference.
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

    /// Creates a function without arguments that returns a record with these fields.
    pub(crate) const fn record(
        name: &'static str,
        run: fn(&mut BuiltinArgs<'_>) -> BuiltinResult,
        fields: &'static [&'static str],
        field: RecordField,
    ) -> Self {
        Self { fields, field: Some(field), ..Self::new(name, 0, Some(0), run) }
    }

    /// Lets the function receive missing keys.
    pub(crate) const fn sees_missing(mut self) -> Self {
        self.missing = Missing::Seen;
        self
    }

    /// Creates a template function from a function of expressions.
    pub(crate) const fn library(function: &'static Function) -> Self {
        Self {
            least: function.least,
            most: function.most,
            missing: if function.sees_missing { Missing::Seen } else { Missing::Refused },
            pipe: function.pipe,
            ..Self::short(function.name, Evaluation::Library(function))
        }
    }

    /// Adds the documentation: the parameters, the result, and an example template with its output.
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

/// The kind of name that the first argument of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    None,
    Param,
    Lookup,
    Local,
    Each,
}

/// The arguments of one call. No argument is unknown itself, but its items may be.
pub(crate) struct BuiltinArgs<'a> {
    pub(crate) function: &'static str,
    pub(crate) place: Range<u32>,
    pub(crate) values: &'a [Datum],
    pub(crate) scope: &'a dyn Scope,
    pub(crate) budget: &'a StepBudget<'a>,
}

/// The result of a function; the caller marks it as secret if an argument is secret.
pub(crate) type BuiltinResult = Result<Datum, FunctionError>;

impl From<NoText> for FunctionError {
    fn from(error: NoText) -> Self {
        let (kind, place) = error.into_parts();
        Self { kind, argument: None, place }
    }
}

impl BuiltinArgs<'_> {
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
