//! Tests of expressions as tables of expressions and results; [`check`] runs a table.

mod collections;
mod dates;
mod documents;
mod encoding;
mod errors;
mod flow;
mod laws;
mod networks;
mod numbers;
mod operators;
mod properties;
mod references;
mod secrets;
mod sets;
mod strings;
mod table;
mod versions;

use std::sync::Arc;

use super::Expression;
use crate::diagnostic::SourceMap;
use crate::language::LanguageError;
use crate::syntax::{self, Item};
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::{Platform, PlatformMount};
use crate::types::scope::{Each, Scope, ScopeError};
use crate::types::value::Value;

/// A scope with parameters, exports and files of every kind.
struct TestScope {
    platform: Platform,
    each: Option<Each>,
    /// The value of `param.leaf`.
    leaf: Value,
}

impl TestScope {
    fn new() -> Self {
        let mut platform = Platform::new("linux");
        platform.pretty_name = "Debian GNU/Linux 12".into();
        platform.linux_distribution = "debian".into();
        platform.cpus = 4;
        platform.addresses = vec!["192.0.2.7".into()];
        let mut mount = PlatformMount::new("/usr", "/dev/sda1", "ext4");
        mount.options = vec!["ro".into()];
        platform.mounts = vec![mount];
        let instance = Each { key: "web".into(), value: [("port", 80)].into() };
        Self { platform, each: Some(instance), leaf: Value::Null }
    }
}

impl Scope for TestScope {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        Ok(match name {
            "s" => "text".into(),
            "n" => 5.into(),
            "f" => 2.5.into(),
            "yes" => true.into(),
            "no" => false.into(),
            "null" => Value::Null,
            "list" => vec![1, 2, 3].into(),
            "empty" => Value::List(Vec::new()),
            "words" => vec!["a", "b"].into(),
            "map" => [("b", 2), ("a", 1)].into(),
            "users" => Value::List(vec![
                [("name", Value::from("ada")), ("admin", true.into())].into(),
                [("name", Value::from("bob")), ("admin", false.into())].into(),
            ]),
            "unknown" => Value::unknown("task.first"),
            "other" => Value::unknown("task.second"),
            "part" => Value::List(vec![Value::unknown("task.part"), "a".into()]),
            "partmap" => [("u", Value::unknown("task.part")), ("k", "a".into())].into(),
            "secret" => Value::from("hunter2").into_secret(),
            "secretnumber" => Value::Int(7).into_secret(),
            "secretmap" => Value::from([("password", "hunter2")]).into_secret(),
            "secrets" => Value::List(vec![Value::from("hunter2").into_secret(), "a".into()]),
            "secretlist" => Value::from(vec!["hunter2", "b"]).into_secret(),
            "leaf" => self.leaf.clone(),
            _ => {
                let close = vec!["list".to_owned()];
                return Err(ScopeError::NotFound { what: "parameter", name: name.to_owned(), close });
            }
        })
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Ok(match path {
            "task.query.host.status.stdout" => "web1\n".into(),
            "task.query.host" => [("status", Value::from([("stdout", "web1\n")]))].into(),
            r#"file.content.page["a.b"].destination"# => "/srv/a".into(),
            "task.no.x" => {
                let (path, branch) = (path.to_owned(), "case.no".to_owned());
                return Err(ScopeError::NotTaken { path, branch });
            }
            _ => return Err(ScopeError::Message(format!("nothing is at {path}"))),
        })
    }

    fn env(&self, name: &str) -> String {
        if name == "HOME" { "/root".into() } else { String::new() }
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        match field {
            "destination" => Ok("/etc/motd".into()),
            _ => Err(ScopeError::Message(format!("there is no field `{field}`"))),
        }
    }

    fn each(&self) -> Option<&Each> {
        self.each.as_ref()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        match path {
            "motd" => Ok("hello\n".into()),
            "motd.tmpl" => Ok("hello {{.name}}\n".into()),
            "lines.tmpl" => Ok("{{if .yes}}\na\n{{end}}\n".into()),
            "bad.tmpl" => Ok("a\nb {{.name".into()),
            "param.tmpl" => Ok("{{param `s`}}".into()),
            "loop.tmpl" => Ok("{{range .names}}<{{.}}>{{end}}{{platform.OS}}".into()),
            _ => Err(ScopeError::Message(format!("{path} is not there"))),
        }
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        match path {
            "conf.d" => Err(ScopeError::Message("conf.d is a folder".into())),
            path => Ok(self.read(path).is_ok()),
        }
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        let entries = match folder {
            "conf.d" => {
                vec![FolderEntry::file(".b"), FolderEntry::file("a.conf"), FolderEntry::folder("tls")]
            }
            "conf.d/tls" => vec![FolderEntry::file("b.conf"), FolderEntry::file("b.pem")],
            // The folder contains itself without end.
            "endless" => vec![FolderEntry::folder("a")],
            path if path.starts_with("endless/") => vec![FolderEntry::folder("a")],
            _ => return Err(ScopeError::Message(format!("there is no folder {folder}"))),
        };
        Ok(entries.into())
    }
}

/// The text in front of the expression in test files.
const BEFORE: &str = "value = ";

/// Returns the text of a file that contains the expression.
fn file(text: &str) -> String {
    format!("{BEFORE}{text}\n")
}

/// Parses and lowers an expression.
fn lower(text: &str) -> Result<Expression, Vec<LanguageError>> {
    let file = file(text);
    let (body, diagnostics) = syntax::parse(SourceMap::new().add("test.hcl", &*file), &file);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    match <[Item; 1]>::try_from(body.items) {
        Ok([Item::Attribute(attribute)]) => {
            Expression::lower(attribute.value, &file, None, ModuleFunctions::NONE)
        }
        other => panic!("{text} is not a single value: {other:?}"),
    }
}

/// Formats a result in one line: the value, or errors with the text they point at.
fn outcome(text: &str, result: Result<Value, Vec<LanguageError>>) -> String {
    match result {
        Ok(Value::Secret(secret)) => format!("secret {:?}", secret.expose()),
        Ok(value) => format!("{value:?}"),
        Err(errors) => {
            let file = file(text);
            let errors = errors.iter().map(|error| {
                let range = error.range.start as usize..error.range.end as usize;
                format!("error at {}: {error}", file.get(range).unwrap_or("?"))
            });
            errors.collect::<Vec<_>>().join("; ")
        }
    }
}

fn evaluate(text: &str) -> String {
    let value = lower(text)
        .and_then(|expression| expression.evaluate(&TestScope::new()).map_err(|error| vec![error]));
    outcome(text, value)
}

/// Asserts that every expression of a table gives the listed result.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    let failures = table.iter().filter_map(|(text, expect)| {
        let actual = evaluate(text);
        (actual != *expect).then(|| format!("{text}\n  gives {actual}\n  not   {expect}\n"))
    });
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "\n{}", failures.concat());
}
