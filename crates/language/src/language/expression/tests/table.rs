//! Tests that the documented table of functions is true.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{TestScope, evaluate, file, lower};
use crate::diagnostic::SourceMap;
use crate::language::expression::{Expression, Function, functions};
use crate::language::functions::foreign_functions;
use crate::language::template::{self, Template};
use crate::syntax::{self, Computed, ExpressionKind, Item};
use crate::types::folder_entry::FolderEntry;
use crate::types::function::{ModuleFunctions, RESERVED};
use crate::types::platform::Platform;
use crate::types::scope::{Scope, ScopeError};
use crate::types::value::Value;

#[test]
fn every_example_gives_what_it_says() {
    for function in functions() {
        let (call, result) = function.example();
        assert_eq!(evaluate(call), result, "{call}");
        assert!(call.contains(&format!("{}(", function.name())), "{call} does not call {}", function.name());
    }
}

/// A scope in which `lookup` of a number returns the argument with that index.
struct Arguments(Vec<Value>, TestScope);

impl Scope for Arguments {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        self.1.param(name)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Ok(path.parse().ok().and_then(|index: usize| self.0.get(index).cloned()).unwrap_or_default())
    }

    fn env(&self, name: &str) -> String {
        self.1.env(name)
    }

    fn platform(&self) -> &Platform {
        self.1.platform()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.1.read(path)
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        self.1.exists(path)
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        self.1.list(folder)
    }
}

/// Returns the function that an example calls, and its arguments.
fn parse_call(example: &str) -> Option<(String, Vec<Value>)> {
    let text = file(example);
    let (body, _) = syntax::parse(SourceMap::new().add("test.hcl", &*text), &text);
    let Ok([Item::Attribute(attribute)]) = <[Item; 1]>::try_from(body.items) else { return None };
    let ExpressionKind::Computed(computed) = attribute.value.kind else { return None };
    let Computed::Call { function, arguments, .. } = *computed else { return None };
    let value = |argument| {
        let lowered = Expression::lower(argument, &text, None, ModuleFunctions::NONE).ok()?;
        lowered.evaluate(&TestScope::new()).ok()
    };
    let values = arguments.into_iter().map(value).collect::<Option<Vec<_>>>()?;
    Some((function.text.to_string(), values))
}

/// Every example gives the same result when a template makes the same call.
///
/// All arguments are passed behind the name, and also with the argument that [`Function::pipe`] names piped
/// in.
#[test]
fn every_example_gives_the_same_in_a_template() {
    // The arguments of these functions are not plain values.
    let not_tried = ["try", "can"];
    let mut tried = 0;
    for function in functions() {
        let (example, _) = function.example();
        let Some((name, values)) = parse_call(example) else { continue };
        let function_called = functions().find(|function| function.name() == name);
        let Some(pipe) = function_called.and_then(Function::pipe) else { continue };
        if not_tried.contains(&&*name) {
            continue;
        }
        let expected = lower(example).unwrap().evaluate(&TestScope::new()).unwrap();
        let places: Vec<String> = (0..values.len()).map(|index| format!("(lookup `{index}`)")).collect();
        let (front, _) = pipe.split_once(" | ").unwrap_or_default();
        let parameters = function_called.unwrap().signature();
        let is_last = !parameters.starts_with(&format!("{name}({front}"));
        let (piped, rest) = match (&*places, is_last) {
            ([rest @ .., last], true) => (last, rest),
            ([first, rest @ ..], false) => (first, rest),
            ([], _) => continue,
        };
        let scope = Arguments(values, TestScope::new());
        for text in [
            format!("{{{{{name} {}}}}}", places.join(" ")),
            format!("{{{{{piped} | {name} {}}}}}", rest.join(" ")),
        ] {
            let actual = Template::parse(&text).and_then(|template| template.evaluate(&scope));
            assert_eq!(actual.as_ref(), Ok(&expected), "{text} of {example}");
        }
        tried += 1;
    }
    assert!(tried > 90, "{tried}");
}

/// A template function hides the expression function of the same name.
#[test]
fn names_of_templates_are_not_those_of_the_library() {
    let template_names: BTreeSet<&str> = template::function_names().chain(["range"]).collect();
    for function in functions() {
        let name = function.name();
        assert_eq!(function.pipe().is_none(), template_names.contains(name), "{name}");
    }
}

/// The suggested replacement of a foreign name is valid.
#[test]
fn names_of_other_languages_are_answered_with_ours() {
    let known_names: BTreeSet<&str> = functions().map(Function::name).collect();
    for (name, expression, in_template) in foreign_functions::all() {
        let text = format!("{name}(1)");
        let expect = format!("error at {name}: there is no function `{name}`; write `{expression}`");
        assert!(known_names.contains(name) || evaluate(&text) == expect, "{}", evaluate(&text));
        let function_name = expression
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| known_names.contains(word))
            .count();
        let is_written = function_name > 0
            || matches!(expression, "true" | "false")
            || expression.contains(['[', '{', '?', '=', '!', '.']);
        assert!(is_written, "{expression}");

        let actual =
            Template::parse(&format!("{{{{{name} 1}}}}")).map(drop).map_err(|error| error.to_string());
        let expect = format!("there is no function `{name}`; write `{in_template}`");
        assert!(
            template::function_names().any(|candidate| candidate == name)
                || known_names.contains(name)
                || actual == Err(expect),
            "{actual:?}"
        );
        if let Some(actions) = in_template.strip_prefix("if ").or(in_template.strip_prefix("range ")) {
            assert!(!actions.is_empty());
        } else {
            // Words in capitals are placeholders.
            let words = in_template.split(' ').map(|word| {
                let is_blank = word.trim_matches(['(', ')']).chars().all(|c| c.is_ascii_uppercase());
                if is_blank { word.replace(|c: char| c.is_ascii_uppercase(), "1") } else { word.to_owned() }
            });
            let text = format!("{{{{{}}}}}", words.collect::<Vec<_>>().join(" "));
            assert!(Template::parse(&text).is_ok(), "{text}: {:?}", Template::parse(&text));
        }
    }
}

#[test]
fn names_are_unique_and_described() {
    let mut names = BTreeSet::new();
    for function in functions() {
        assert!(names.insert(function.name()), "{} is there twice", function.name());
        assert!(function.doc().ends_with('.'), "{}: {}", function.name(), function.doc());
        assert!(function.signature().starts_with(function.name()));
    }
}

/// The reserved names are listed in a lower layer, so the two lists are compared.
#[test]
fn functions_of_programs_cannot_have_names_of_the_language() {
    let reserved_names = functions().map(Function::name).chain(template::function_names());
    let words = [
        "block", "break", "continue", "define", "else", "end", "false", "for", "if", "in", "nil", "null",
        "range", "template", "true", "with",
    ];
    let names: BTreeSet<&str> = reserved_names.chain(words).collect();
    assert_eq!(RESERVED.to_vec(), names.into_iter().collect::<Vec<_>>());
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Asserts that the documentation contains the tables made from the rows.
#[track_caller]
fn check_page(page: &str, rows: impl Iterator<Item = Vec<String>>) {
    let documented: Vec<&str> = page.lines().skip(2).collect();
    let rows: Vec<String> = rows.map(|cells| format!("| {} |", cells.join(" | "))).collect();
    assert_eq!(documented, rows, "\n{}\n", rows.join("\n"));
}

#[test]
fn the_documentation_is_the_table() {
    let rows = functions().map(|function| {
        let (call, result) = function.example();
        vec![
            format!("`{}`", function.signature()),
            function.pipe().map_or_else(String::new, |pipe| format!("`{}`", escaped(&pipe))),
            escaped(function.doc()),
            format!("`{}`", escaped(call)),
            format!("`{}`", escaped(result)),
        ]
    });
    check_page(include_str!("../../../../docs/functions.md"), rows);
}

#[test]
fn the_documentation_is_the_table_of_templates() {
    let rows = template::functions().map(|function| {
        let (call, result) = function.example();
        vec![
            format!("`{}`", function.signature()),
            escaped(function.doc()),
            format!("``{}``", escaped(call)),
            format!("`{}`", escaped(result)),
        ]
    });
    check_page(include_str!("../../../../docs/template-functions.md"), rows);
}
