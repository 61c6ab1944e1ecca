//! Template files, which `templatefile` reads.
//!
//! A file sees its variables, `platform` and `env`, but no parameters, resources or other files. Without
//! variables it sees the names of the module, and the loader derives edges from the file if its path is known.

use std::sync::Arc;

use super::Template;
use super::action_lines::ActionLines;
use crate::language::error::LanguageError;
use crate::language::functions::arguments::Args;
use crate::language::functions::{FunctionError, FunctionResult};
use crate::types::base_path::BasePath;
use crate::types::budget::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::scope::{Each, Scope, ScopeError};
use crate::types::value::{Unknown, Value};

/// The option of `templatefile` that leaves out the lines of actions.
const TRIM_LINES: &str = "trim_lines";

/// Implements `templatefile PATH VARIABLES OPTIONS`.
pub(crate) fn templatefile(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    let variables = if args.is_null(1) { None } else { Some(args.take_map(1)?) };
    let lines = if trims_lines(args)? { ActionLines::LeftOut } else { ActionLines::Kept };
    let text = args.read(0)?;
    let refuse = |error: &LanguageError| {
        let before = text.get(..error.range.start as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        args.refuse(format!("{path}:{line}: {error}"))
    };
    let template =
        Template::parse_file(&text, args.scope.functions(), lines).map_err(|error| refuse(&error))?;
    let scope = FileScope { around: args.scope, sees_names: variables.is_none() };
    let (value, steps) = template.render_counted(variables.map(Value::Map), &scope, args.budget.left());
    args.budget.spend(steps)?;
    let value = value.map_err(|error| refuse(&error))?;
    args.budget.spend_text(&value)?;
    Ok(value)
}

fn trims_lines(args: &mut Args<'_>) -> Result<bool, FunctionError> {
    if args.is_null(2) {
        return Ok(false);
    }
    let options = args.take_map(2)?;
    match (options.len(), options.get(TRIM_LINES)) {
        (1, Some(Value::Bool(trims))) => Ok(*trims),
        _ => Err(args.refuse(format!("the only option is written {{{TRIM_LINES} = true}}"))),
    }
}

/// The scope of a template file: the machine, and without variables the names of the module.
struct FileScope<'a> {
    around: &'a dyn Scope,
    sees_names: bool,
}

impl Scope for FileScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        if self.sees_names {
            return self.around.param(name);
        }
        Err(ScopeError::Message(format!(
            "a file with variables sees no parameters: give it as a variable, as in `{{{name} = param.{name}}}`"
        )))
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        if self.sees_names {
            return self.around.lookup(path);
        }
        Err(ScopeError::Message(format!(
            "a file with variables sees no resources: give it as a variable, as in `{{value = {path}}}`"
        )))
    }

    fn each(&self) -> Option<&Each> {
        self.around.each().filter(|_| self.sees_names)
    }

    fn each_later(&self) -> Option<Unknown> {
        self.around.each_later().filter(|_| self.sees_names)
    }

    fn hide(&self, secret: &Value) {
        self.around.hide(secret);
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        Err(ScopeError::Message(format!(
            "a file reads no other file: give the text of {path} as a variable, as in `{{text = file({path:?})}}`"
        )))
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        Err(ScopeError::Message(format!(
            "a file looks for no other file: give what you need to know as a variable, as in `{{found = fileexists({path:?})}}`"
        )))
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        Err(ScopeError::Message(format!(
            "a file looks into no folder: give the names as a variable, as in `{{names = fileset({folder:?}, \"*\")}}`"
        )))
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        self.around.path(base)
    }

    fn budget(&self) -> Option<&WorkBudget> {
        self.around.budget()
    }

    fn functions(&self) -> &ModuleFunctions {
        self.around.functions()
    }

    fn env(&self, name: &str) -> String {
        self.around.env(name)
    }

    fn platform(&self) -> &Platform {
        self.around.platform()
    }

    fn machine(&self) -> Result<(), Unknown> {
        self.around.machine()
    }

    fn blocks(&self) -> Result<(), Unknown> {
        self.around.blocks()
    }
}
