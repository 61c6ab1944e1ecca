//! Files beside the module, and paths.
//!
//! A file of `templatefile` sees its variables and the machine, and no parameters and no resources: edges are read off
//! the module when it is loaded, and the name of the file may only be known when it runs.

use std::sync::Arc;

use super::arguments::{Args, FunctionError, FunctionResult};
use super::function::Function;
use crate::language::expression::error::ExpressionErrorKind as Kind;
use crate::language::template::{Template, TemplateError};
use crate::types::base_path::BasePath;
use crate::types::budget::WorkBudget;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::scope::{Scope, ScopeError};
use crate::types::value::{Unknown, Value};

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "file",
        "path",
        "The text of a file, which is named relative to the module.",
        [r#"file("motd")"#, r#""hello\n""#],
    )
    .whole(file)
    .reads(),
    Function::new(
        "templatefile",
        "path, variables",
        "The text of a file with its `{{ }}` filled in; the variables are its dot, as in `{{.name}}`.",
        [r#"templatefile("motd.tmpl", {name = "ada"})"#, r#""hello ada\n""#],
    )
    .takes(2, 2)
    .items(templatefile)
    .reads(),
    Function::new(
        "basename",
        "path",
        "The last part of a path.",
        [r#"basename("/etc/nginx/nginx.conf")"#, r#""nginx.conf""#],
    )
    .whole(basename),
    Function::new(
        "dirname",
        "path",
        "A path without its last part.",
        [r#"dirname("/etc/nginx/nginx.conf")"#, r#""/etc/nginx""#],
    )
    .whole(dirname),
];

fn file(args: &mut Args<'_>) -> FunctionResult {
    let text = read(args, &args.text(0)?)?;
    args.budget.spend_bytes(text.len())?;
    Ok(Value::String(text))
}

/// The text of the file that the first argument names.
fn read(args: &Args<'_>, path: &str) -> Result<Arc<str>, FunctionError> {
    args.scope.read(path).map_err(|error| FunctionError { kind: Kind::Scope(error), argument: Some(0) })
}

fn templatefile(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    let variables = args.take_map(1)?;
    let text = read(args, &path)?;
    args.budget.spend_bytes(text.len())?;
    let refuse = |error: &TemplateError| {
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

/// What the template of a file sees: the machine, but nothing of the module, as no edge would lead there.
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

fn basename(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    let trimmed = path.trim_end_matches('/');
    Ok(match (trimmed, &*path) {
        ("", "") => ".",
        ("", _) => "/",
        (path, _) => path.rsplit('/').next().unwrap_or(path),
    }
    .into())
}

fn dirname(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    let end = path.rfind('/').map_or(0, |slash| slash + 1);
    Ok(clean(&path[..end]).into())
}

/// The shortest path that means the same: without `.`, double slashes, and `..` after a name.
fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
