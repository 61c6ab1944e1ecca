//! What is known of a function.

use std::sync::Arc;

use crate::language::call_error::CallError;
use crate::language::function_ref;
use crate::types::function::{ModuleFunction, Purity};
use crate::types::value::Value;

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;

/// A function of the standard library.
pub struct Function {
    pub(crate) name: &'static str,
    parameters: &'static str,
    doc: &'static str,
    example: [&'static str; 2],
    pub(crate) least: u8,
    /// `None`: any number.
    pub(crate) most: Option<u8>,
    pub(crate) strictness: Strictness,
    pub(crate) implementation: Implementation,
    /// Whether it asks the scope, so that a call with constants is not one.
    pub(crate) reads: bool,
    /// Which argument is what is piped into it in a template.
    pub(crate) pipe: PipePlace,
    /// Whether templates have another function of its name.
    pub(crate) is_hidden: bool,
    /// Whether templates may ask it about a key that is missing.
    pub(crate) sees_missing: bool,
    /// What can be said of a call when only some of its arguments are known.
    pub(crate) check: Option<Check>,
}

/// Looks at a call of which only some arguments are known.
pub(crate) type Check = fn(&[Option<&Value>]) -> Result<(), FunctionError>;

/// Which argument of a call is what is piped into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipePlace {
    First,
    Last,
}

/// How a function is run.
#[derive(Clone, Copy)]
pub(crate) enum Implementation {
    Plain(fn(&mut Args<'_>) -> FunctionResult),
    Try,
    Can,
    /// A template in a file, which is run by what runs templates.
    TemplateFile,
    /// A closure of the program.
    Own,
}

/// How far a function looks into its arguments, which says what an unknown or a secret in them does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// At all of it: one unknown item makes the result unknown, one secret item makes it secret.
    Deep,
    /// At the arguments themselves; items are passed on as they are.
    Shallow,
    /// The function does it itself.
    Custom,
}

/// What a call calls.
pub(crate) type FunctionRef = function_ref::FunctionRef<Function>;

/// A function of the program.
pub(super) fn own(function: &Arc<ModuleFunction>) -> FunctionRef {
    let count = function_ref::arity(function);
    let about = Function::new(function.name(), "", function.doc(), ["", ""]).takes(count, count);
    let about = Function {
        // What it looks at nobody knows, and neither what it gives before a run.
        strictness: Strictness::Deep,
        implementation: Implementation::Own,
        reads: function.purity() == Purity::InRun,
        ..about
    };
    FunctionRef::own(about, function)
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A name stands for one function only.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Function {
    /// A function of one argument. What it does follows.
    pub(super) const fn new(
        name: &'static str,
        parameters: &'static str,
        doc: &'static str,
        example: [&'static str; 2],
    ) -> Self {
        Self {
            name,
            parameters,
            doc,
            example,
            least: 1,
            most: Some(1),
            strictness: Strictness::Deep,
            implementation: Implementation::Can,
            reads: false,
            pipe: PipePlace::First,
            is_hidden: false,
            sees_missing: false,
            check: None,
        }
    }

    /// How many arguments there are; one, when nothing is said.
    pub(super) const fn takes(mut self, least: u8, most: u8) -> Self {
        self.least = least;
        self.most = Some(most);
        self
    }

    pub(super) const fn takes_any(mut self, least: u8) -> Self {
        self.least = least;
        self.most = None;
        self
    }

    /// It looks at all of its arguments.
    pub(super) const fn whole(self, run: fn(&mut Args<'_>) -> FunctionResult) -> Self {
        self.runs(Strictness::Deep, Implementation::Plain(run))
    }

    /// It passes the items of its arguments on.
    pub(super) const fn items(self, run: fn(&mut Args<'_>) -> FunctionResult) -> Self {
        self.runs(Strictness::Shallow, Implementation::Plain(run))
    }

    pub(super) const fn runs(mut self, strictness: Strictness, implementation: Implementation) -> Self {
        self.strictness = strictness;
        self.implementation = implementation;
        self
    }

    pub(super) const fn reads(mut self) -> Self {
        self.reads = true;
        self
    }

    /// What is piped into it is its last argument.
    pub(super) const fn piped_last(mut self) -> Self {
        self.pipe = PipePlace::Last;
        self
    }

    /// Templates have another function of its name.
    pub(super) const fn hidden_in_templates(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// It may be asked about a key that a map does not have, which is then null.
    pub(super) const fn sees_missing(mut self) -> Self {
        self.sees_missing = true;
        self
    }

    pub(super) const fn checked(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// The name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// How it is called: `join(separator, list..)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters)
    }

    /// How a value is piped into it in a template: `list | join separator`. `None` where templates have another function of
    /// its name.
    pub fn pipe(&self) -> Option<String> {
        if self.is_hidden {
            return None;
        }
        let mut parameters: Vec<&str> = self.parameters.split(", ").filter(|name| !name.is_empty()).collect();
        let piped = match self.pipe {
            _ if parameters.is_empty() => return Some(self.name.to_owned()),
            PipePlace::First => parameters.remove(0),
            PipePlace::Last => parameters.pop().unwrap_or_default(),
        };
        // More of what is piped in stands behind it.
        let more = piped.strip_suffix("..").map(|_| piped).filter(|_| self.pipe == PipePlace::First);
        let words: Vec<&str> = [self.name].into_iter().chain(more).chain(parameters).collect();
        Some(format!("{} | {}", piped.trim_end_matches('.'), words.join(" ")))
    }

    /// What it gives, in one sentence.
    pub const fn doc(&self) -> &'static str {
        self.doc
    }

    /// A call, and the value that it gives.
    pub const fn example(&self) -> (&'static str, &'static str) {
        (self.example[0], self.example[1])
    }

    /// Whether the function takes that many arguments.
    pub(crate) fn check_count(&self, given: usize) -> Result<(), CallError> {
        let enough = given >= usize::from(self.least);
        if enough && self.most.is_none_or(|most| given <= usize::from(most)) {
            return Ok(());
        }
        let Self { name: function, least, most, .. } = *self;
        Err(CallError::ArgumentCount { function, least, most, given })
    }
}
