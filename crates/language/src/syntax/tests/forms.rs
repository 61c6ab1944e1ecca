//! Tests of equivalent spellings beyond the cases of the original implementation.

use serde_json::{Value as Json, json};

use super::super::ExpressionKind;
use super::{Item, parsed};

pub(super) fn without_places(value: Json) -> Json {
    match value {
        Json::Object(mut map) => {
            map.shift_remove("at");
            map.into_iter().map(|(key, value)| (key, without_places(value))).collect()
        }
        Json::Array(items) => items.into_iter().map(without_places).collect(),
        other => other,
    }
}

fn check(source: &str, expect: &Json) {
    let parsed = parsed(source);
    assert!(parsed.diagnostics.is_empty(), "{source:?}: {:?}", parsed.diagnostics);
    assert_eq!(&without_places(parsed.items(&parsed.body)), expect, "{source:?}");
}

#[test]
fn layout_does_not_matter() {
    let tree = json!([{ "body": [{ "key": "a", "val": 1 }, { "key": "b", "val": 2 }], "keys": ["t", "x"] }]);
    for source in [
        "t \"x\" {\n  a = 1\n  b = 2\n}\n",
        "t \"x\" { a = 1 b = 2 }",
        "t \"x\" { a = 1, b = 2, }",
        "t \"x\" { a=1,b=2 }",
        "t \"x\" {a=1 b=2}",
        "t \"x\" { a=1 b=2}",
        "t \"x\" {a=1,b=2 }",
        "t \"x\" {\r\n  a = 1\r\n  b = 2}",
        "t \"x\"\n{\na\n=\n1 b=\n\n2 }",
        "t\"x\"{ a=1 /* c */ b=2 }",
        "t /* { */ \"x\" // {\n { # }\n a = /* \" */ 1 # ,\n b = 2 // }\n }",
        "\"t\" x { \"a\" = 1 \"b\" = 2 }",
        "\r\n\tt \"x\" {\r\n a = 1\r\n\r\n b = 2 }\r\n",
        "t \"x\" { a = 1 b = 2 },",
    ] {
        check(source, &tree);
    }
    let tree = json!([{ "body": [{ "key": "a", "val": 1 }], "keys": ["t"] }]);
    for source in ["t{a=1}", "t {a=1 }", "t { a=1}", "t{a=1,}", "t { a =\n1}"] {
        check(source, &tree);
    }
    let nested = json!([{ "body": [{ "body": [{ "key": "a", "val": 1 }], "keys": ["c"] }], "keys": ["t"] }]);
    for source in ["t { c { a = 1 } }", "t { c {a=1} }", "t {\nc{a=1}\n}"] {
        check(source, &nested);
    }
    let labels = json!([{ "body": [], "keys": ["t", "a", "b", "c", "d"] }]);
    for source in ["t \"a\" b \"c\" d {}", "t\"a\"b\"c\"d{}", "\"t\" a \"b\"\"c\"\n\"d\"{\n}"] {
        check(source, &labels);
    }
    for source in ["t {}", "t { }", "t {\n\n}", "t { # c\n }", "t\n{}"] {
        check(source, &json!([{ "body": [], "keys": ["t"] }]));
    }
}

#[test]
fn names() {
    for name in ["a", "a.b", "a-b", "a_b", "_", "_a", "é", "日本", "for", "true", "null", "a.", "x1"] {
        let body = |value: Json| json!([{ "body": [{ "key": name, "val": value }], "keys": ["t"] }]);
        check(&format!("t {{ {name} = 1 }}"), &body(json!(1)));
        check(&format!("t {{ \"{name}\" = 1 }}"), &body(json!(1)));
        let mut map = serde_json::Map::new();
        map.insert(name.to_owned(), json!(2));
        for source in [
            format!("m = {{ {name} = 2 }}"),
            format!("m = {{{name}=2,}}"),
            format!("m = {{ \"{name}\" = 2 }}"),
        ] {
            check(&source, &json!([{ "key": "m", "val": map }]));
        }
        check(
            &format!("{name} {name} \"{name}\" {{}}"),
            &json!([{ "body": [], "keys": [name, name, name] }]),
        );
    }
    check("\"\" { \"\" = 1 }", &json!([{ "body": [{ "key": "", "val": 1 }], "keys": [""] }]));
}

#[test]
fn many_names_of_every_length_are_kept_apart() {
    let names: Vec<String> =
        (0..3000).map(|n| format!("a{n}")).chain(('a'..='z').map(String::from)).collect();
    let fields: Vec<Json> = names.iter().map(|name| json!({ "key": name, "val": 0 })).collect();
    let lines: String = names.iter().flat_map(|name| [name, " = 0\n"]).collect();
    check(&format!("t {{\n{lines}}}"), &json!([{ "body": fields, "keys": ["t"] }]));
    let map: serde_json::Map<String, Json> = names.iter().map(|name| (name.clone(), json!(0))).collect();
    check(&format!("m = {{\n{lines}}}"), &json!([{ "key": "m", "val": map }]));
}

#[test]
fn values() {
    let value = |source: &str, expect: Json| {
        check(&format!("a = {source}"), &json!([{ "key": "a", "val": expect }]));
        check(
            &format!("t {{\n a = [{source}\n,]\n}}"),
            &json!([{ "body": [{ "key": "a", "val": [expect] }], "keys": ["t"] }]),
        );
    };
    value("{}", json!({}));
    value("[]", json!([]));
    value("{ b { c { d = 1 } } }", json!({ "b": { "c": { "d": 1 } } }));
    value("{ b {}, c {} }", json!({ "b": {}, "c": {} }));
    value("{\n b = [{}, { c = [] }]\n \n d = \"\" }", json!({ "b": [{}, { "c": [] }], "d": "" }));
    value("[\n 1, # one\n 2 /* two */ ,\n]", json!([1, 2]));
    value("[<<A\nx\nA\n, <<-B\n  y\n  B\n]", json!(["x\n", "y\n"]));
    value("\"a ${b \"c\n\" d} }\"", json!("a ${b \"c\n\" d} }"));
    value("-0x1F", json!(-31));
    value("1.5e-1", json!(0.15));
}

#[test]
fn whole_numbers_keep_their_base() {
    let check = |source: &str, expect: i64, in_base: u8| {
        let parsed = parsed(&format!("a = {source}"));
        let [Item::Attribute(attribute)] = parsed.body.items.as_slice() else { panic!("{source}") };
        assert_eq!(attribute.value.kind, ExpressionKind::Int { value: expect, base: in_base }, "{source}");
    };
    check("0", 0, 10);
    check("-0", 0, 10);
    check("10", 10, 10);
    check("0777", 0o777, 8);
    check("00", 0, 8);
    check("-010", -8, 8);
    check("0x1f", 31, 16);
    check("0XFF", 255, 16);
    check("9223372036854775807", i64::MAX, 10);
    check("-9223372036854775808", i64::MIN, 10);
    check("0x7fffffffffffffff", i64::MAX, 16);
}
