//! Laws of the formatter that hold for every text.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use serde_json::Value as Json;

use super::super::lexeme::{LexemeKind, lexemes};
use super::formatted;
use super::modules::{modules, native_modules};
use crate::diagnostic::SourceMap;
use crate::syntax::{Body, parse};

/// Prints the tree without positions.
fn tree(body: &Body) -> String {
    let debug_text = format!("{body:?}");
    let mut tree = String::with_capacity(debug_text.len());
    let mut rest = debug_text.as_str();
    while let Some(position) = rest.find("..") {
        let (before, after) = rest.split_at(position);
        tree.push_str(before.trim_end_matches(|c: char| c.is_ascii_digit()));
        rest = after[2..].trim_start_matches(|c: char| c.is_ascii_digit());
    }
    tree + rest
}

/// Returns every token but commas, without positions.
fn written(text: &str) -> Vec<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let tokens = lexemes(text);
    let tokens_kept = tokens.iter().filter(|token| token.kind != LexemeKind::Comma);
    tokens_kept
        .flat_map(|token| match (token.kind, token.text(text)) {
            (LexemeKind::BlockComment, text) => vec![text.replace("\r\n", "\n")],
            // Spread dots may touch a name and are then lexed with it.
            (_, text) => match text.strip_suffix("...") {
                Some(name) if !name.is_empty() => vec![name.to_owned(), "...".to_owned()],
                _ => vec![text.to_owned()],
            },
        })
        .collect()
}

/// Checks the laws of the formatter.
///
/// Returns whether the text could be formatted.
fn laws(text: &str) -> Result<bool, TestCaseError> {
    let file = SourceMap::new().add("a.hcl", text);
    let (before, errors) = parse(file, text);
    let Ok(first_pass) = formatted(text) else {
        prop_assert!(errors.has_errors());
        return Ok(false);
    };
    let (after, errors) = parse(file, &first_pass);
    prop_assert!(errors.is_empty(), "{:?} becomes {:?}: {:?}", text, first_pass, errors);
    prop_assert_eq!(tree(&before), tree(&after), "{:?} becomes {:?}", text, first_pass);
    prop_assert_eq!(written(text), written(&first_pass), "{:?} becomes {:?}", text, first_pass);
    let second_pass = formatted(&first_pass).map_err(|errors| TestCaseError::fail(format!("{errors:?}")))?;
    prop_assert_eq!(&first_pass, &second_pass, "{:?}", text);
    prop_assert!(
        first_pass.is_empty()
            || first_pass.ends_with('\n') && !first_pass.ends_with("\n\n") && !first_pass.starts_with('\n')
    );
    Ok(true)
}

#[test]
fn the_cases_of_the_original() {
    let cases: Json = serde_json::from_str(include_str!("../../../../tests/fixtures/hcl1.json")).unwrap();
    let sources = cases["cases"].as_array().unwrap().iter().map(|case| case["source"].as_str().unwrap());
    let count = sources.filter(|source| laws(source).unwrap()).count();
    assert!(count >= 50, "{count}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn modules_keep_their_meaning(text in modules()) {
        prop_assert!(laws(&text)?, "{}", text);
    }

    #[test]
    fn native_expressions_keep_their_meaning(text in native_modules()) {
        laws(&text)?;
    }

    #[test]
    fn any_text_keeps_its_meaning(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..30)) {
        laws(&pieces.concat())?;
    }
}

/// Fragments that rarely form a valid text, and then in unusual ways.
const PIECES: &[&str] = &[
    "a",
    "b.c",
    "a = 1",
    " = ",
    "=",
    "1",
    "-1",
    "- ",
    "\"s\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    " ",
    "\n",
    "\r\n",
    "\n\n",
    "# c\n",
    "/* c */",
    "/*\n*/",
    "<<E\nx\nE\n",
    "t \"x\" {\n",
    "}\n",
    "x = [",
    "y = { z = 1 }",
    ".",
    "*",
    "+",
    "?",
    ":",
    "!",
    "true",
    "for",
    "in",
    "if",
    "=>",
    "...",
    "==",
];
