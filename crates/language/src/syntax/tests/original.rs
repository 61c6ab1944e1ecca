//! Comparison with the parser of the original implementation.

use serde_json::{Value as Json, json};

use super::parsed;

pub(super) const CASES: &str = include_str!("../../../tests/fixtures/hcl1.json");

/// Deliberate differences from the original.
const DIFFERENT: [(&str, &str); 6] = [
    ("36_dup_attr", "a second value for a name is a mistake: the original takes one of the two silently"),
    ("37_dup_obj_key", "the same in a map"),
    ("45_bare_ident", "a name is an expression"),
    ("46_func_call", "so is a call"),
    ("47_null", "so is null"),
    ("55_bom", "editors write a byte order mark; it is skipped"),
];

/// The positions of our errors, for each case that does not parse.
const ERRORS: [(&str, &str, &str); 7] = [
    ("22_escape_bad", "2:8", "invalid-escape"),
    ("36_dup_attr", "3:3", "duplicate-name"),
    ("37_dup_obj_key", "4:5", "duplicate-name"),
    ("51_unterminated", "2:7", "unclosed-string"),
    ("52_missing_brace", "3:1", "missing-close"),
    ("54_json", "1:1", "json-module"),
    ("59_obj_colon", "2:10", "colon-for-equals"),
];

#[test]
fn reads_what_the_original_reads() {
    let cases: Json = serde_json::from_str(CASES).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 60);
    for case in cases {
        check_case(case);
    }
}

fn check_case(case: &Json) {
    let name = case["name"].as_str().unwrap();
    let ours = parsed(case["source"].as_str().unwrap());
    let different = DIFFERENT.iter().any(|(of, _)| *of == name);
    let accepted = (case["hcl1"] == "ok") != different;
    let error = ours.diagnostics.iter().next();
    assert_eq!(error.is_none(), accepted, "{name}: {error:?}");
    let expected = ERRORS.iter().find(|(of, ..)| *of == name);
    match (error, expected) {
        (Some(error), Some((_, at, code))) => {
            let span = error.span().unwrap();
            assert_eq!(ours.at(&(span.start..span.end)), *at, "{name}");
            assert_eq!(error.code, *code, "{name}");
            assert_eq!(ours.diagnostics.len(), 1, "{name}: {:?}", ours.diagnostics);
        }
        (None, None) if name == "55_bom" => {
            assert_eq!(ours.items(&ours.body), json!([{ "at": "1:1", "body": [], "keys": ["t", "x"] }]));
        }
        (None, None) if different => {
            let item = json!({ "at": "2:3", "key": "a", "val": "an expression" });
            let block = json!([{ "at": "1:1", "body": [item], "keys": ["t", "x"] }]);
            assert_eq!(ours.items(&ours.body), block, "{name}");
        }
        (None, None) => assert_eq!(ours.items(&ours.body), case["items"], "{name}"),
        (found, listed) => panic!("{name}: {found:?}, listed: {listed:?}"),
    }
}
