//! The table of functions says the truth.

use std::collections::BTreeSet;

use super::evaluate;
use crate::language::expression::{Function, functions};
use crate::language::template;
use crate::types::function::RESERVED;

#[test]
fn every_example_gives_what_it_says() {
    for function in functions() {
        let (call, result) = function.example();
        assert_eq!(evaluate(call), result, "{call}");
        assert!(call.contains(&format!("{}(", function.name())), "{call} does not call {}", function.name());
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

/// The list stands in a room below this one.
#[test]
fn functions_of_programs_cannot_have_names_of_the_language() {
    let own = functions().map(Function::name).chain(template::function_names());
    let words = [
        "block", "break", "continue", "define", "else", "end", "false", "for", "if", "in", "nil", "null",
        "range", "template", "true", "with",
    ];
    let names: BTreeSet<&str> = own.chain(words).collect();
    assert_eq!(RESERVED.to_vec(), names.into_iter().collect::<Vec<_>>());
}

/// The documentation has the table that this makes.
#[test]
fn the_documentation_is_the_table() {
    let documented: Vec<&str> = include_str!("../../../../docs/functions.md").lines().skip(2).collect();
    let escaped = |text: &str| text.replace('|', "\\|");
    let table: Vec<String> = functions()
        .map(|function| {
            let (call, result) = function.example();
            format!(
                "| `{}` | {} | `{}` | `{}` |",
                function.signature(),
                escaped(function.doc()),
                escaped(call),
                escaped(result)
            )
        })
        .collect();
    assert_eq!(documented, table, "\n{}\n", table.join("\n"));
}
