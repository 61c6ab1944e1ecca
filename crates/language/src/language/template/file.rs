//! Template files, which `templatefile` reads.
//!
//! A file sees its variables, `platform` and `env`, but no parameters, resources or other files. Edges are
//! derived from the module at load, when the name of the file may still be unknown.

use std::sync::Arc;

use super::Template;
use crate::language::error::LanguageError;
use crate::language::functions::FunctionResult;
use crate::language::functions::arguments::Args;
use crate::types::base_path::BasePath;
use crate::types::budget::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::scope::{Scope, ScopeError};
use crate::types::value::{Unknown, Value};

/// Implements `templatefile PATH VARIABLES`.
pub(crate) fn templatefile(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    let variables = args.take_map(1)?;
    let text = args.read(0)?;
    let refuse = |error: &LanguageError| {
        let before = text.get(..error.range.start as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        args.refuse(format!("{path}:{line}: {error}"))
    };
    let template = Template::parse_with(&text, args.scope.functions()).map_err(|error| refuse(&error))?;
    let scope = FileScope(args.scope);
    let (value, steps) = template.render_counted(Some(Value::Map(variables)), &scope, args.budget.left());
    args.budget.spend(steps)?;
    let value = value.map_err(|error| refuse(&error))?;
    args.budget.spend_text(&value)?;
    Ok(value)
}

/// The scope of a template file: the machine, but nothing of the module.
///
/// References from files make no edges.
struct FileScope<'a>(&'a dyn Scope);

impl Scope for FileScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!(
            "a file sees no parameters: give it as a variable, as in `{{{name} = param.{name}}}`"
        )))
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!(
            "a file sees no resources: give it as a variable, as in `{{value = {path}}}`"
        )))
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
        self.0.path(base)
    }

    fn budget(&self) -> Option<&WorkBudget> {
        self.0.budget()
    }

    fn functions(&self) -> &ModuleFunctions {
        self.0.functions()
    }

    fn env(&self, name: &str) -> String {
        self.0.env(name)
    }

    fn platform(&self) -> &Platform {
        self.0.platform()
    }

    fn machine(&self) -> Result<(), Unknown> {
        self.0.machine()
    }

    fn blocks(&self) -> Result<(), Unknown> {
        self.0.blocks()
    }
}
