//! The description of a function.

use crate::language::call_error::CallError;
use crate::types::value::Value;

use super::arguments::{Args, FunctionResult};
use super::error::FunctionError;
use super::template_arguments::{TemplateArgs, TemplateResult};

/// A function of the language.
pub struct Function {
    pub(crate) name: &'static str,
    pub(crate) parameters: &'static str,
    doc: &'static str,
    example: [&'static str; 2],
    pub(crate) least: u8,
    /// The maximum number of arguments, or `None` for any number.
    pub(crate) most: Option<u8>,
    pub(crate) strictness: Strictness,
    pub(crate) implementation: Implementation,
    /// Whether the function reads the scope, so that a call with constants is not constant.
    pub(crate) reads_scope: bool,
    /// The argument that receives the piped value in a template.
    pub(crate) pipe: PipePlace,
    /// Whether templates have another function with this name.
    pub(crate) is_hidden: bool,
    /// Whether templates may call the function with a missing key.
    pub(crate) sees_missing: bool,
    /// A check of calls with only some known arguments.
    pub(crate) check: Option<Check>,
    /// The kind of name in the first argument in a template, which makes a reference.
    pub(crate) names: NameUse,
    /// The fields of the record that the function returns in a template.
    pub(crate) record: Option<Record>,
}

/// The record that a function of templates returns.
pub(crate) struct Record {
    pub(crate) fields: &'static [&'static str],
    /// Other accepted spellings of these fields.
    pub(crate) spellings: &'static [&'static str],
    /// Returns one field of the record, so that the others are not computed.
    pub(crate) field: fn(&mut TemplateArgs<'_>, &str) -> TemplateResult,
}

/// The kind of name that the first argument of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameUse {
    None,
    Param,
    Lookup,
    Local,
    Each,
    /// The path of a file, which uses names itself if it is the only argument.
    TemplateFile,
}

/// A function that checks a call of which only some arguments are known.
pub(crate) type Check = fn(&[Option<&Value>]) -> Result<(), FunctionError>;

/// The argument of a call that receives the piped value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PipePlace {
    First,
    Last,
}

/// The implementation of a function.
#[derive(Clone, Copy)]
pub(crate) enum Implementation {
    Plain(fn(&mut Args<'_>) -> FunctionResult),
    Try,
    Can,
    /// A function that only templates have: all arguments are evaluated and known before it runs.
    Template(fn(&mut TemplateArgs<'_>) -> TemplateResult),
    /// Evaluation stops at the first argument that is false.
    And,
    /// Evaluation stops at the first argument that is true.
    Or,
    /// A template in a file, evaluated by the template engine.
    TemplateFile,
    /// A closure of the embedding program.
    Own,
}

/// The depth to which a function reads its arguments.
///
/// It determines the effect of unknown and secret items on the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// The function reads everything: one unknown or secret item makes the result unknown or secret.
    Deep,
    /// The function reads only the arguments themselves and passes their items on unchanged.
    Shallow,
    /// The function handles unknowns and secrets itself.
    Custom,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Compares names, which are unique.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Function {
    /// Describes a function of one argument. The implementation is set afterwards.
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
            reads_scope: false,
            pipe: PipePlace::First,
            is_hidden: false,
            sees_missing: false,
            check: None,
            names: NameUse::None,
            record: None,
        }
    }

    /// Describes a function that only templates have.
    pub(crate) const fn template(
        name: &'static str,
        least: u8,
        most: Option<u8>,
        run: fn(&mut TemplateArgs<'_>) -> TemplateResult,
    ) -> Self {
        let function = Self::short_circuit(name, Implementation::Template(run));
        Self { least, most, sees_missing: false, ..function }
    }

    /// Describes a function of templates that evaluates its arguments itself.
    pub(crate) const fn short_circuit(name: &'static str, implementation: Implementation) -> Self {
        let function = Self::new(name, "", "", ["", ""]).takes_any(1).sees_missing().piped_last();
        function.runs(Strictness::Custom, implementation)
    }

    /// Describes a function of templates without arguments that returns a record.
    pub(crate) const fn record(
        name: &'static str,
        run: fn(&mut TemplateArgs<'_>) -> TemplateResult,
        record: Record,
    ) -> Self {
        Self { record: Some(record), ..Self::template(name, 0, Some(0), run) }
    }

    /// Declares that a call in a template makes a reference.
    pub(crate) const fn naming(mut self, names: NameUse) -> Self {
        self.names = names;
        self
    }

    /// Adds the documentation for templates: parameters, result, and an example template with its output.
    pub(crate) const fn about(
        mut self,
        parameters: &'static str,
        doc: &'static str,
        example: [&'static str; 2],
    ) -> Self {
        (self.parameters, self.doc, self.example) = (parameters, doc, example);
        self
    }

    /// Sets the number of arguments; the default is one.
    pub(super) const fn takes(mut self, minimum: u8, maximum: u8) -> Self {
        self.least = minimum;
        self.most = Some(maximum);
        self
    }

    pub(super) const fn takes_any(mut self, minimum: u8) -> Self {
        self.least = minimum;
        self.most = None;
        self
    }

    /// Sets an implementation that reads its arguments completely.
    pub(super) const fn runs_deep(self, run: fn(&mut Args<'_>) -> FunctionResult) -> Self {
        self.runs(Strictness::Deep, Implementation::Plain(run))
    }

    /// Sets an implementation that passes the items of its arguments on.
    pub(super) const fn runs_shallow(self, run: fn(&mut Args<'_>) -> FunctionResult) -> Self {
        self.runs(Strictness::Shallow, Implementation::Plain(run))
    }

    pub(super) const fn runs(mut self, strictness: Strictness, implementation: Implementation) -> Self {
        self.strictness = strictness;
        self.implementation = implementation;
        self
    }

    pub(super) const fn reads(mut self) -> Self {
        self.reads_scope = true;
        self
    }

    /// Declares that the last argument receives the piped value.
    pub(super) const fn piped_last(mut self) -> Self {
        self.pipe = PipePlace::Last;
        self
    }

    /// Declares that templates have another function with this name.
    pub(super) const fn hidden_in_templates(mut self) -> Self {
        self.is_hidden = true;
        self
    }

    /// Declares that the function accepts a missing key of a map, which is then null.
    pub(crate) const fn sees_missing(mut self) -> Self {
        self.sees_missing = true;
        self
    }

    pub(super) const fn checked(mut self, check: Check) -> Self {
        self.check = Some(check);
        self
    }

    /// Returns the name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the signature: `join(separator, list..)`.
    pub fn signature(&self) -> String {
        format!("{}({})", self.name, self.parameters)
    }

    /// Returns the form for templates, where a value is piped in: `list | join separator`.
    ///
    /// `None` means that templates have another function with this name.
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
        // Further values of a variadic parameter follow the function name.
        let first_param = piped.strip_suffix("..").map(|_| piped).filter(|_| self.pipe == PipePlace::First);
        let words: Vec<&str> = [self.name].into_iter().chain(first_param).chain(parameters).collect();
        Some(format!("{} | {}", piped.trim_end_matches('.'), words.join(" ")))
    }

    /// Returns the description, one sentence.
    pub const fn doc(&self) -> &'static str {
        self.doc
    }

    /// Returns an example call and its result.
    pub const fn example(&self) -> (&'static str, &'static str) {
        (self.example[0], self.example[1])
    }

    /// Checks that the function accepts this number of arguments.
    pub(crate) fn check_count(&self, count: usize) -> Result<(), CallError> {
        let is_enough = count >= usize::from(self.least);
        if is_enough && self.most.is_none_or(|maximum| count <= usize::from(maximum)) {
            return Ok(());
        }
        let Self { name: function, least, most, .. } = *self;
        Err(CallError::ArgumentCount { function, least, most, given: count })
    }
}
