//! Tests against Go's output for the templates of `go_templates.json` and `own_templates.json`.

use super::outcome;
use crate::language::LanguageError;
use crate::language::data::datum::Datum;
use crate::language::functions::Function;
use crate::language::template::action_lines::ActionLines;
use crate::language::template::builtins::BUILTINS;
use crate::language::template::{Scope, ScopeError, parser};
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::value::Value;

/// Functions of the fixture that are not part of Converge.
static FIXTURE: [Function; 6] = [
    Function::template("param", 1, Some(1), |args| Ok(Datum::text(format!("<{}>", args.text(0)?)))),
    Function::template("paramList", 1, Some(1), |_| Ok(given(vec!["1", "2", "3"]))),
    Function::template("paramMap", 1, Some(1), |_| Ok(given([("c", 3), ("a", 1), ("b", 2)]))),
    Function::template("fail", 1, Some(1), |args| Err(args.refuse(args.text(0)?.as_ref()))),
    Function::template("emptyList", 0, Some(0), |_| Ok(given(Value::List(Vec::new())))),
    Function::template("deep", 0, Some(0), |_| Ok(given(deep()))),
];

fn deep() -> Value {
    let server = |name: &str, port: i64| Value::from([("n", Value::from(name)), ("p", port.into())]);
    [
        ("list", Value::from(vec!["x", "y", "z"])),
        ("map", [("k", "v"), ("ä", "ö")].into()),
        ("maps", vec![server("one", 80), server("two", 443)].into()),
        ("int", 7.into()),
        ("float", 2.5.into()),
        ("yes", true.into()),
        ("no", false.into()),
        ("empty", "".into()),
        ("text", "abc".into()),
    ]
    .into()
}

fn given(value: impl Into<Value>) -> Datum {
    Datum::from_value(value.into())
}

struct Fixture(Platform);

impl Scope for Fixture {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!("the fixture has its own `param`, so nothing asks for {name}")))
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Ok(Value::string(format!("L:{path}")))
    }

    fn env(&self, name: &str) -> String {
        format!("E:{name}")
    }

    fn platform(&self) -> &Platform {
        &self.0
    }
}

#[derive(serde::Deserialize)]
struct File {
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    template: String,
    go: String,
    output: String,
    /// The text that our error underlines, where Go reports a line or an earlier column.
    #[serde(default)]
    at: Option<String>,
}

fn render(text: &str) -> Result<Value, LanguageError> {
    let mut platform = Platform::new("linux");
    platform.name = "n".into();
    platform.version = "1.2".into();
    platform.linux_distribution = "ubuntu".into();
    let tree = parser::parse(text, &[&FIXTURE, &BUILTINS], ModuleFunctions::NONE, ActionLines::Kept)?;
    super::super::tree::Template::new(tree.into(), text.into()).render(&Fixture(platform))
}

/// Parses the line and the column, counted from 0 as in Go. Go gives a column only for run errors.
fn place(message: &str) -> (usize, Option<usize>) {
    let mut parts = message.trim_start_matches("template: f:").split(':');
    let line = parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    (line, parts.next().and_then(|column| column.parse().ok()))
}

/// Intended differences from Go.
///
/// Mistakes that Go writes into the output are errors. Numbers of two kinds are compared by value, and text
/// is compared with the printed form of numbers and bools.
const OURS: &[(&str, &str)] = &[
    ("{{printf \"%d\" `a`}}", "error 14..17: printf: `%d` cannot print a string; `%v` prints any value"),
    ("{{printf \"%v %v %v %v\" (paramList `x`) (paramMap `y`) nil `s`}}", "error 54..57: `nil` has no text"),
    (
        "{{printf \"%s\" (paramList `x`)}} {{printf \"%q\" (paramList `x`)}} {{printf \"%d\" (paramMap `x`)}}",
        "error 79..91: printf: `%d` cannot print a string; `%v` prints any value",
    ),
    (
        "{{printf \"%d %s\" `a` 5}} {{printf \"%d\"}} {{printf \"%d\" 1 2 `z`}} {{printf \"%\"}} {{printf \"%!\"}} {{printf \"%z\" 1}}",
        "error 17..20: printf: `%d` cannot print a string; `%v` prints any value",
    ),
    (
        "{{printf \"%*d\" `x` 1}} {{printf \"%.*f\" -1 2.0}}",
        "error 15..18: printf: `*` needs a whole number from -1000000 to 1000000",
    ),
    (
        "{{printf \"%s and %s\" `a`}} {{printf \"plain\"}} {{printf `x` `y`}}",
        "error 9..20: printf: there is no value for the verb 2, `%s`",
    ),
    (
        "{{printf \"%6.2f%%\" 99.5}} {{printf \"%s\" nil}} {{printf \"%v\" true}} {{printf \"%s\" true}}",
        "error 40..43: `nil` has no text",
    ),
    (
        "{{print}}{{print 1}}{{print 1 2}}{{print `a` 1}}{{print 1 `a` 2 3}}{{print true false}}{{print 1.5 `x` nil}}",
        "error 89..106: `nil` has no text",
    ),
    (
        "{{define \"a\"}}A{{.}}{{end}}{{define \"b\"}}[{{template \"a\" .}}]{{end}}{{template \"b\" `x`}}{{template \"a\"}}",
        "error 99..102: the template uses its dot, but is called without a value",
    ),
    ("{{deep.none}} {{deep.map.zzz}}", "error 6..11: there is no `none` in the map"),
    ("{{deep.map.zzz.y}}", "error 10..14: there is no `zzz` in the map"),
    ("{{index deep.map `nope`}}|{{index deep.map `nope` `y`}}", "error 2..23: there is no `nope` in the map"),
    ("{{eq 1 1.0}}", "true"),
    ("{{eq `a` 1}}", "false"),
    (
        "{{printf \"%s\" (paramMap `m`).a}} {{(paramMap `m`).c | printf \"%03d\"}}",
        "error 15..30: printf: `%s` cannot print an integer; `%v` prints any value",
    ),
    ("{{(paramMap `m`).zzz.y.z}}", "error 16..20: there is no `zzz` in the map"),
    ("{{$m := paramMap `m`}}{{$m.q.r}}", "error 26..28: there is no `q` in the map"),
    ("{{(index deep.map `q`).r}}", "error 3..21: there is no `q` in the map"),
    ("{{deep.nil1.x}}", "error 6..11: there is no `nil1` in the map"),
    ("{{$n := deep.zzz}}{{$n}}{{$n.y}}", "error 12..16: there is no `zzz` in the map"),
    (
        "{{define `t`}}{{.x}}{{.x.y}}{{end}}{{template `t`}}",
        "error 46..49: the template uses its dot, but is called without a value",
    ),
    ("{{index deep.zzz 1}}", "error 12..16: there is no `zzz` in the map"),
    ("{{with deep}}{{.q.r}}{{end}}", "error 15..17: there is no `q` in the map"),
    ("{{printf `%.*f|%*d` -1 2.5 -5 3}}", "error 20..22: printf: `*` needs a whole number from 0 to 1000000"),
    ("{{printf `%.*d` `x` 5}}", "error 16..19: printf: `*` needs a whole number from 0 to 1000000"),
    ("{{printf `%.*d`}}", "error 9..15: printf: there is no value for `*`"),
    ("{{printf `%*d` 3}}", "error 9..14: printf: there is no value for the verb 2, `%d`"),
];

fn check(case: &Case) -> Result<(), String> {
    if let Some((_, expect)) = OURS.iter().find(|(template, _)| *template == case.template) {
        let actual = outcome(render(&case.template));
        return if actual == *expect {
            Ok(())
        } else {
            Err(format!("{actual:?}, ours should be {expect:?}"))
        };
    }
    match (render(&case.template), case.go.as_str()) {
        (Ok(Value::String(text)), "ok") if *text == *case.output => Ok(()),
        (Err(error), "error") => {
            let before = &case.template[..error.range.start as usize];
            let line = before.matches('\n').count() + 1;
            let column = before.len() - before.rfind('\n').map_or(0, |newline| newline + 1);
            let (go_line, go_column) = place(&case.output);
            let underlined = &case.template[error.range.start as usize..error.range.end as usize];
            let right = match &case.at {
                Some(position) => position == underlined,
                None => go_column.is_none_or(|go_column| go_column == column),
            };
            if line == go_line && right {
                return Ok(());
            }
            Err(format!("{error} at {line}:{column}, {underlined:?}, Go: {}", case.output))
        }
        (result, _) => Err(format!("{result:?}, Go: {:?}", case.output)),
    }
}

#[track_caller]
fn check_all(file: &str, count: usize) {
    let file: File = serde_json::from_str(file).unwrap();
    assert_eq!(file.cases.len(), count);
    let failures: Vec<String> = file
        .cases
        .iter()
        .filter_map(|case| Some(format!("{:?}\n    {}", case.template, check(case).err()?)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_template_gives_what_go_gives() {
    check_all(include_str!("../../../../tests/fixtures/go_templates.json"), 75);
}

#[test]
fn templates_of_our_own_give_what_go_gives() {
    check_all(include_str!("../../../../tests/fixtures/own_templates.json"), 269);
}
