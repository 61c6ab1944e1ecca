//! Property tests that hold for every text.

use proptest::prelude::*;

use super::{TestScope, render};
use crate::language::template::Template;
use crate::types::value::Value;
use converge_system::testing::mutate::mutated;

/// Fragments whose random lists are often nearly valid templates.
const PIECES: &[&str] = &[
    "{{",
    "}}",
    "{{- ",
    " -}}",
    "{{if ",
    "{{else}}",
    "{{else if ",
    "{{end}}",
    "{{range ",
    "{{with ",
    "{{define ",
    "{{template ",
    "{{block ",
    "{{break}}",
    "{{continue}}",
    "`t`",
    "`list`",
    "\"a\\n\"",
    "'word'",
    "'a'",
    "$x",
    "$",
    ":=",
    "=",
    ",",
    " ",
    "|",
    "(",
    ")",
    ".",
    ".a",
    "1",
    "-5",
    "1e9",
    "0x1F",
    "nil",
    "true",
    "param ",
    "paramList ",
    "paramMap `map`",
    "lookup ",
    "env ",
    "split ",
    "join ",
    "jsonify ",
    "platform",
    "and ",
    "or ",
    "not ",
    "eq ",
    "lt ",
    "len ",
    "index ",
    "slice ",
    "print ",
    "printf \"%5.2f %*d %-x %q\" ",
    "html ",
    "js ",
    "urlquery ",
    "default `d` ",
    "try ",
    "can ",
    "coalesce ",
    "list ",
    "dict `k` ",
    "add ",
    "in ",
    "replace `a` ",
    "regex `a(.)` ",
    "format `%s-%v` ",
    "jsonencode ",
    "yamldecode ",
    "deepmerge ",
    "sensitive ",
    "quote ",
    "/*",
    "*/",
    "é",
    "text",
    "\n",
];

/// Returns the templates of the fixture, which the tests mutate.
fn fixture() -> Vec<String> {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("../../../../tests/fixtures/go_templates.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    cases.iter().map(|case| case["template"].as_str().unwrap().to_owned()).collect()
}

/// Parses, runs and reads references twice; asserts that nothing panics and both results are equal.
fn run(text: &str) {
    let first = Template::parse(text);
    assert_eq!(first, Template::parse(text));
    match first {
        Ok(template) => {
            for reference in template.references() {
                assert!(text.get(reference.range.start as usize..reference.range.end as usize).is_some());
            }
            assert_eq!(template.render(&TestScope::new()), template.render(&TestScope::new()));
            let _ = template.evaluate(&TestScope::new());
        }
        Err(error) => {
            let range = error.range.start as usize..error.range.end as usize;
            assert!(text.get(range).is_some(), "{error} is not at characters of {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_without_braces_is_its_own_result(text in "[^{]*") {
        prop_assert!(Template::is_literal(&text));
        prop_assert_eq!(Template::parse(&text).unwrap().render(&TestScope::new()), Ok(Value::string(text)));
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        run(&text);
        run(&format!("{{{{{text}}}}}"));
    }

    #[test]
    fn any_list_of_pieces_is_survived(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        run(&pieces.concat());
    }

    #[test]
    fn mutations_of_real_templates_are_survived(
        template in prop::sample::select(fixture()),
        changes in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        run(&mutated(&template, PIECES, changes));
    }

    #[test]
    fn quoted_text_prints_as_it_is(text in any::<String>()) {
        let quoted = render(&format!("{{{{printf `%q` {}}}}}", go_string(&text)));
        prop_assert_eq!(render(&format!("{{{{{quoted}}}}}")), text);
    }
}

/// Quotes a text as a Go string, independently of the code under test.
fn go_string(text: &str) -> String {
    let escaped: Vec<String> = text.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect();
    format!("\"{}\"", escaped.concat())
}
