//! Functions of files next to the module, and of paths.

use std::collections::BTreeSet;

use super::arguments::{Args, FunctionResult, list_of};
use super::error::FunctionError;
use super::function::{Function, Implementation, NameUse, Strictness};
use super::glob::Glob;
use crate::language::convert;
use crate::language::error::LanguageErrorKind as Kind;
use crate::types::scope::ScopeError;
use crate::types::value::Value;

/// The maximum number of entries that `fileset` visits, in all folders together.
const MAX_ENTRIES: usize = 50_000;

pub(super) static FUNCTIONS: &[Function] = &[
    Function::new(
        "file",
        "path",
        "The text of a file, which is named relative to the module.",
        [r#"file("motd")"#, r#""hello\n""#],
    )
    .runs_deep(file)
    .reads(),
    Function::new(
        "templatefile",
        "path, variables",
        "The text of a file with its `{{ }}` filled in; the variables are its dot, as in `{{.name}}`. Without variables, or with null, the \
         file sees the names of the module, as in `{{param.name}}`. With the third argument `{trim_lines = true}`, a line that holds only \
         actions which print nothing is left out.",
        [r#"templatefile("motd.tmpl", {name = "ada"})"#, r#""hello ada\n""#],
    )
    .takes(1, 3)
    .runs(Strictness::Shallow, Implementation::TemplateFile)
    .naming(NameUse::TemplateFile)
    .piped_last()
    .reads(),
    Function::new(
        "fileexists",
        "path",
        "Whether there is a file, which is named relative to the module. That there is a folder of this name is an error.",
        [r#"fileexists("motd")"#, "true"],
    )
    .runs_deep(fileexists)
    .reads(),
    Function::new(
        "fileset",
        "folder, pattern",
        "The paths of all files in a folder beside the module that match a pattern, relative to the folder and sorted: `*` and `?` stand for \
         what is within a name, `**` for any folders, `{a,b}` for either, `[a-z]` for one character. Hidden files are among them; links to \
         folders are not followed, and what links lead out to is left out.",
        [r#"fileset("conf.d", "**/*.conf")"#, r#"["a.conf", "tls/b.conf"]"#],
    )
    .takes(2, 2)
    .runs_deep(fileset)
    .checked(check_fileset)
    .reads(),
    Function::new(
        "basename",
        "path",
        "The last part of a path.",
        [r#"basename("/etc/nginx/nginx.conf")"#, r#""nginx.conf""#],
    )
    .runs_deep(basename),
    Function::new(
        "dirname",
        "path",
        "A path without its last part.",
        [r#"dirname("/etc/nginx/nginx.conf")"#, r#""/etc/nginx""#],
    )
    .runs_deep(dirname),
];

fn file(args: &mut Args<'_>) -> FunctionResult {
    Ok(Value::String(args.read(0)?))
}

fn fileexists(args: &mut Args<'_>) -> FunctionResult {
    let path = args.text(0)?;
    Ok(Value::Bool(args.scope.exists(&path).map_err(|error| from_scope_error(error, 0))?))
}

/// Checks the pattern, which does not depend on the folder.
fn check_fileset(arguments: &[Option<&Value>]) -> Result<(), FunctionError> {
    match arguments.get(1).copied().flatten().and_then(convert::text) {
        Some(pattern) => parse(&pattern).map(drop),
        None => Ok(()),
    }
}

fn parse(pattern: &str) -> Result<Glob, FunctionError> {
    Glob::parse(pattern).map_err(|problem| {
        let message = format!("{pattern:?} is not a pattern of files: {problem}");
        FunctionError::from(Kind::Call { function: "fileset", message }).at(1)
    })
}

fn fileset(args: &mut Args<'_>) -> FunctionResult {
    let (folder, glob) = (args.text(0)?, parse(&args.text(1)?)?);
    let (mut paths, mut count) = (BTreeSet::new(), 0_usize);
    let mut open = vec![(String::new(), glob.start())];
    while let Some((path, states)) = open.pop() {
        let inner = match folder.trim_end_matches('/') {
            _ if !path.is_empty() => below(&folder, &path),
            "" => folder.to_string(),
            folder => folder.to_owned(),
        };
        let entries = args.scope.list(&inner).map_err(|error| from_scope_error(error, 0))?;
        for entry in entries.iter() {
            count += 1;
            if count > MAX_ENTRIES {
                let message = format!(
                    "there are more than {MAX_ENTRIES} files and folders in {folder}: name one with less in it"
                );
                return Err(args.refuse_at(0, message));
            }
            let states = glob.step(&states, entry.name(), args.budget)?;
            let is_part = if entry.is_folder() { glob.goes_on(&states) } else { glob.is_match(&states) };
            if !is_part {
                continue;
            }
            let path = if path.is_empty() { entry.name().to_owned() } else { below(&path, entry.name()) };
            args.budget.spend_bytes(path.len())?;
            if entry.is_folder() {
                open.push((path, states));
            } else {
                paths.insert(path);
            }
        }
    }
    Ok(list_of(paths))
}

fn below(folder: &str, name: &str) -> String {
    format!("{}/{name}", folder.trim_end_matches('/'))
}

fn from_scope_error(error: ScopeError, argument: usize) -> FunctionError {
    FunctionError::from(Kind::from(error)).at(argument)
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

/// Returns the shortest equivalent path: without `.`, double slashes, and `..` after a name.
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
