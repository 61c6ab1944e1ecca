//! Tests of templates as tables of templates and results; [`check`] runs a table.

mod converge;
mod errors;
mod go;
mod library;
mod printf;
mod properties;
mod references;
mod render;
mod states;

use crate::types::platform::Platform;
use crate::types::value::Value;

use super::{Scope, ScopeError, Template};
use crate::language::LanguageError;

/// A scope with parameters and exports of every kind.
pub(crate) struct TestScope {
    platform: Platform,
}

impl TestScope {
    pub(crate) fn new() -> Self {
        let mut platform = Platform::new("linux");
        platform.name = "Debian".into();
        platform.version = "12".into();
        Self { platform }
    }
}

impl Scope for TestScope {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        Ok(match name {
            "s" => "text".into(),
            "n" => 5.into(),
            "f" => 2.5.into(),
            "b" => false.into(),
            "null" => Value::Null,
            "list" => vec![1, 2, 3].into(),
            "empty" => Value::List(Vec::new()),
            "user" => "ada".into(),
            "users" => vec!["ada", "bob"].into(),
            "ports" => [("web", 80)].into(),
            "words" => vec!["a", "b"].into(),
            "holes" => Value::List(vec!["a".into(), Value::Null]),
            "map" => [("b", 2), ("a", 1)].into(),
            "deep" => [("x", Value::from([("y", vec!["z"])])), ("gone", Value::Null)].into(),
            "unknown" => Value::unknown("task.first"),
            "other" => Value::unknown("task.second"),
            "part" => Value::List(vec!["a".into(), Value::unknown("task.part")]),
            "secret" => Value::from("hunter2").into_secret(),
            "password" => Value::from("v").into_secret(),
            "secrets" => Value::from(vec!["hunter2"]).into_secret(),
            "one" => Value::List(vec!["a".into(), Value::from("hunter2").into_secret()]),
            _ => {
                let close = vec!["list".to_owned()];
                return Err(ScopeError::NotFound { what: "parameter", name: name.to_owned(), close });
            }
        })
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Ok(match path {
            "task.a.status.exitstatus" => 0.into(),
            "task.a.status" => [("stdout", "out")].into(),
            "task.query.host.status.stdout" => "web1".into(),
            "local.port.val" => 8080.into(),
            "task.a.null" => Value::Null,
            "task.b.x" => return Err(ScopeError::NotADependency { name: "task.b".into() }),
            "task.c.x" => {
                let (path, branch) =
                    (path.to_owned(), "`case \"no\"` of `switch.s` was not taken".to_owned());
                return Err(ScopeError::NotTaken { path, branch });
            }
            "task.d.x" => return Err(ScopeError::Message("refused".into())),
            _ => self.param(path)?,
        })
    }

    fn env(&self, name: &str) -> String {
        if name == "HOME" { "/root".into() } else { String::new() }
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }
}

/// Formats a result in one line that distinguishes text, unknown values, secrets and errors.
fn outcome(result: Result<Value, LanguageError>) -> String {
    match result {
        Ok(Value::String(text)) => text.to_string(),
        Ok(Value::Unknown(unknown)) => format!("unknown: {}", unknown.waits_for),
        Ok(Value::Secret(secret)) => format!("secret: {}", secret.expose()),
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("error {}..{}: {error}", error.range.start, error.range.end),
    }
}

fn render(text: &str) -> String {
    outcome(Template::parse(text).and_then(|template| template.render(&TestScope::new())))
}

fn evaluate(text: &str) -> String {
    outcome(Template::parse(text).and_then(|template| template.evaluate(&TestScope::new())))
}

/// Asserts that every template of a table renders to the listed result.
#[track_caller]
fn check(table: &[(&str, &str)]) {
    let failures = table.iter().filter_map(|(template, expect)| {
        let actual = render(template);
        (actual != *expect).then(|| format!("{template}\n  gives {actual:?}\n  not   {expect:?}\n"))
    });
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "\n{}", failures.concat());
}
