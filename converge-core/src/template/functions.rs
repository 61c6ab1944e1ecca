//! The table of functions that templates can call. What each does is in [`eval`](super::eval).

use super::eval::call::{Args, Outcome};
use super::eval::{builtins, compare, index, printf};
use super::references::Names;

/// A function: its name, how many arguments it takes, and what it does.
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) least: u8,
    /// `None`: any number.
    pub(super) most: Option<u8>,
    /// Whether the first argument names something that makes a reference.
    pub(super) names: Names,
    /// The fields of the record that it gives; empty where it gives none.
    pub(super) fields: &'static [&'static str],
    pub(super) run: Run,
}

/// The fields of `platform`.
pub(super) const PLATFORM: [&str; 7] =
    ["OS", "Name", "PrettyName", "Version", "Build", "LinuxDistribution", "LinuxLSBLike"];

/// How a function is run.
pub(super) enum Run {
    /// All arguments are evaluated, none is unknown, then the function runs.
    Strict(fn(&mut Args<'_>) -> Outcome),
    /// Stops at the first argument that is not true.
    And,
    /// Stops at the first argument that is true.
    Or,
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
    /// A strict function that makes no reference.
    pub(super) const fn new(
        name: &'static str,
        least: u8,
        most: Option<u8>,
        run: fn(&mut Args<'_>) -> Outcome,
    ) -> Self {
        Self { name, least, most, names: Names::Nothing, fields: &[], run: Run::Strict(run) }
    }

    const fn naming(name: &'static str, names: Names, run: fn(&mut Args<'_>) -> Outcome) -> Self {
        Self { name, least: 1, most: Some(1), names, fields: &[], run: Run::Strict(run) }
    }

    const fn each(name: &'static str, run: fn(&mut Args<'_>) -> Outcome) -> Self {
        let fields = &["key", "value"];
        Self { name, least: 0, most: Some(0), names: Names::Each, fields, run: Run::Strict(run) }
    }

    const fn short(name: &'static str, run: Run) -> Self {
        Self { name, least: 1, most: None, names: Names::Nothing, fields: &[], run }
    }
}

/// The functions of every template, by name.
pub(super) static STANDARD: [Function; 29] = [
    Function::short("and", Run::And),
    Function::new("call", 1, None, builtins::call),
    Function::each("each", builtins::each),
    Function::new("env", 1, Some(1), builtins::env),
    Function::new("eq", 2, None, compare::eq),
    Function::new("ge", 2, Some(2), compare::ge),
    Function::new("gt", 2, Some(2), compare::gt),
    Function::new("html", 0, None, builtins::html),
    Function::new("index", 1, None, index::index),
    Function::new("join", 2, Some(2), builtins::join),
    Function::new("js", 0, None, builtins::js),
    Function::new("jsonify", 1, Some(1), builtins::jsonify),
    Function::new("le", 2, Some(2), compare::le),
    Function::new("len", 1, Some(1), index::len),
    Function::naming("lookup", Names::Lookup, builtins::lookup),
    Function::new("lt", 2, Some(2), compare::lt),
    Function::new("ne", 2, Some(2), compare::ne),
    Function::new("not", 1, Some(1), builtins::not),
    Function::short("or", Run::Or),
    Function::naming("param", Names::Param, builtins::param),
    Function::naming("paramList", Names::Param, builtins::param_list),
    Function::naming("paramMap", Names::Param, builtins::param_map),
    Function { fields: &PLATFORM, ..Function::new("platform", 0, Some(0), builtins::platform) },
    Function::new("print", 0, None, builtins::print),
    Function::new("printf", 1, None, printf::printf),
    Function::new("println", 0, None, builtins::println),
    Function::new("slice", 1, Some(4), index::slice),
    Function::new("split", 2, Some(2), builtins::split),
    Function::new("urlquery", 0, None, builtins::urlquery),
];
