//! Files beside the module, and paths.

use super::arguments::{Args, FunctionResult};
use super::function::{Function, Implementation, Strictness};
use crate::types::value::Value;

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
    .runs(Strictness::Shallow, Implementation::TemplateFile)
    .piped_last()
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
    Ok(Value::String(args.read(0)?))
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
