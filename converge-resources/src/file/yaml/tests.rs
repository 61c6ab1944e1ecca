use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::YamlPreparer;
use super::edit::YamlEdit;
use crate::file::edit::Edit as _;
use crate::file::edit::testing::{at, edited, settled};
use crate::testing::{Written, plan};
use crate::text::Text;

fn yaml(key: &str, value: Option<Value>) -> YamlEdit {
    let key = key.split('/').map(|name| Text::new(name, false)).collect();
    YamlEdit { key, value, secret: false }
}

fn list(items: &[&str]) -> Value {
    Value::List(items.iter().map(|item| Value::from(*item)).collect())
}

fn map(entries: &[(&str, Value)]) -> Value {
    Value::Map(entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[test]
fn values() {
    let check = |key: &str, value: Value, before: &str, expect: &str| {
        let actual = edited(&yaml(key, Some(value.clone())), before);
        assert_eq!(actual, expect, "{key} = {value} in {before:?}");
    };
    let number = || Value::Int(1);
    check("k", number(), "", "k: 1\n");
    check("a/b/c", number(), "", "a:\n  b:\n    c: 1\n");
    check("k", number(), "# c", "# c\nk: 1\n");
    check("k", number(), "---\n", "---\nk: 1\n");
    // Only the value changes.
    check("k", number(), "# c\nk:   0   # d\nx: 'y'\n", "# c\nk:   1   # d\nx: 'y'\n");
    check("k", number(), "\u{feff}k: 0", "\u{feff}k: 1");
    check("ä/k", number(), "ö: ü\nä: {ß: 1, \"k\": 0}\n", "ö: ü\nä: {ß: 1, \"k\": 1}\n");
    check("k", number(), "k:\r\nx: 0\r\n", "k: 1\r\nx: 0\r\n");
    check("k", number(), "k: # c\nx: 0\n", "k: 1 # c\nx: 0\n");
    check("k", number(), "k:\n  0\n", "k:\n  1\n");
    check("k", number(), "k: |\n  a\n  b\nx: 0\n", "k: 1\nx: 0\n");
    check("k", number(), "k: # c\n  a: 0\n  # d\n  b: 0\n# e\nx: 0\n", "k: 1 # c\n# e\nx: 0\n");
    check("k", number(), "k:\n- a\n- b\nx: 0\n", "k: 1\nx: 0\n");
    check("k", number(), "k: [a, b]\n", "k: 1\n");
    check("k", number(), "x: &a 0\nk: *a\n", "x: &a 0\nk: 1\n");
    // These texts have the same value.
    for text in ["k: 1\n", "k: +1", "k: 0x1", "{k: 1}", "? k\n: 1\n", "k: 1 # c", "\"k\": 1"] {
        check("k", number(), text, text);
    }
    check("k", true.into(), "k: TRUE", "k: TRUE");
    check("k", Value::Float(1.5), "k: 15e-1", "k: 15e-1");
    check("k", "a b".into(), "k: a\n b\n", "k: a\n b\n");
    check("k", list(&["a", "b"]), "k:\n  # c\n  - a\n  - 'b'\n", "k:\n  # c\n  - a\n  - 'b'\n");
    check("k", map(&[("a", number()), ("b", number())]), "k: {b: 1, a: 1}", "k: {b: 1, a: 1}");
    // Texts get quotes if they need them, and keep those that they had.
    check("k", "on".into(), "k: x\n", "k: \"on\"\n");
    check("k", "1".into(), "k: 1\n", "k: \"1\"\n");
    check("k", "b's".into(), "k: 'a'\n", "k: 'b''s'\n");
    check("k", "b".into(), "k: \"a\"\n", "k: \"b\"\n");
    check("k", "b".into(), "k: \"a\\\"\\\\\"  # c\n", "k: \"b\"  # c\n");
    check("k", "b".into(), "k: 'a''' # c\n", "k: 'b' # c\n");
    check("k", "a: b # c\n\u{7}".into(), "k: 'x'\n", "k: \"a: b # c\\n\\u0007\"\n");
    check("k", "debug".into(), "k: info\n", "k: debug\n");
    check("k", Value::Float(1.0), "k: info\n", "k: 1.0\n");
    check("a.b: c/#d", number(), "x: 0", "x: 0\n\"a.b: c\":\n  \"#d\": 1");
    // A new key is added after the others of its map.
    check("s/k", number(), "s:\n    a: 0\n\n# t\nt: 0\n", "s:\n    a: 0\n    k: 1\n\n# t\nt: 0\n");
    check("s/k", number(), "s:\n  a: |\n    b\n\nt: 0\n", "s:\n  a: |\n    b\n  k: 1\n\nt: 0\n");
    check("s/k", number(), "s:\n  a:\nt: 0\n", "s:\n  a:\n  k: 1\nt: 0\n");
    check("s/k", number(), "s:\n  a: # c\nt: 0\n", "s:\n  a: # c\n  k: 1\nt: 0\n");
    check("s/k", number(), "s: {}\n", "s: {k: 1}\n");
    check("s/k", number(), "s: {a: [0], }\n", "s: {a: [0], k: 1, }\n");
    check("s/k", number(), "s:\nt: 0\n", "s:\n  k: 1\nt: 0\n");
    check("s/k", number(), "s: ~ # c\nt: 0\n", "s:\n  k: 1 # c\nt: 0\n");
    check("s/t/k", number(), "s:\n  a: 0\n", "s:\n  a: 0\n  t:\n    k: 1\n");
    check("k", list(&["a", "b: c"]), "a: 0\n", "a: 0\nk:\n  - a\n  - \"b: c\"\n");
    check("k", list(&["a"]), "k: 0\nx: 0\n", "k:\n  - a\nx: 0\n");
    check("k", list(&[]), "k:\n- a\n", "k: []\n");
    check("k", map(&[("a", map(&[("b", number())]))]), "k: # c\n  x: 0\n", "k: # c\n  a:\n    b: 1\n");
    // Lists.
    check("0", number(), "- 0\n- 2\n", "- 1\n- 2\n");
    check("l/1", number(), "l: [0, 0]\n", "l: [0, 1]\n");
    check("l/2", number(), "l: [0, 0]\n", "l: [0, 0, 1]\n");
    check("l/2", number(), "l:\n- 0\n- 0 # c\n# d\n", "l:\n- 0\n- 0 # c\n- 1\n# d\n");
    check("l/0", number(), "l: []", "l: [1]");
    check("l/0/k", number(), "l:\n  - a: 0\n    k: 0\n  - k: 0\n", "l:\n  - a: 0\n    k: 1\n  - k: 0\n");
    check("l/0/k", number(), "l:\n  - a: 0\n  - k: 0\n", "l:\n  - a: 0\n    k: 1\n  - k: 0\n");
    check("l/1/k", number(), "l:\n  - a: 0\n", "l:\n  - a: 0\n  - {k: 1}\n");
}

/// A realistic file: only one of its lines changes.
#[test]
fn a_line_of_many() {
    let before = "\
# yaml-language-server: $schema=compose.json
version: '3.8'

x-logging: &logging          # for each service
  driver: journald

services:
  web:
    image: \"nginx:1.25\"      # pinned
    logging: *logging
    command: >-
      nginx -g
      'daemon off;'
    ports:
      - \"80:80\"
      - 443:443   # not yet

    environment: {TZ: Europe/Berlin, A: \"b\"}
  db: !reset
    image: postgres
";
    let check = |key: &str, value: Value, old: &str, new: &str| {
        assert_eq!(before.matches(old).count(), 1, "{old}");
        assert_eq!(edited(&yaml(key, Some(value)), before), before.replace(old, new), "{key}");
    };
    check("services/web/image", "nginx:1.27".into(), "\"nginx:1.25\"", "\"nginx:1.27\"");
    check("services/web/environment/TZ", "UTC".into(), "TZ: Europe/Berlin", "TZ: UTC");
    check("services/web/ports/1", "444:443".into(), "443:443", "\"444:443\"");
    check("version", "3.9".into(), "'3.8'", "'3.9'");
    check("services/web/restart", "always".into(), "A: \"b\"}\n", "A: \"b\"}\n    restart: always\n");
    check("services/web/command", "true".into(), ">-\n      nginx -g\n      'daemon off;'\n", "\"true\"\n");
}

#[test]
fn removals() {
    let check = |key: &str, before: &str, expect: &str| {
        let actual = edited(&yaml(key, None), before);
        assert_eq!(actual, expect, "{key} in {before:?}");
    };
    check("k", "", "");
    check("k", "a: 0\n# c\nk:\n  b: 0\n  # d\n  c: 0\n# e\nx: 0\n", "a: 0\n# c\n# e\nx: 0\n");
    check("k", "a: 0\r\nk: 0", "a: 0\r\n");
    check("k", "k: 0 # c\nx: 0\n", "x: 0\n");
    check("k", "k: 0\n", "{}\n");
    check("s/k", "s:\n  # c\n  k: 0\nx: 0\n", "s: {}\nx: 0\n");
    check("s/k", "s: {a: 0, k: 0}\n", "s: {a: 0}\n");
    check("s/k", "s: {k: 0, a: 0}\n", "s: {a: 0}\n");
    check("s/k", "s: {k: 0}\n", "s: {}\n");
    check("s/k", "s:\nx: 0\n", "s:\nx: 0\n");
    check("s/k", "s: 0\n", "s: 0\n");
    check("s/k/l", "x: 0\n", "x: 0\n");
    check("0/k", "- k: 0\n  a: 0\n", "- a: 0\n");
    check("0/k", "- k: 0\n- 0\n", "- {}\n- 0\n");
    check("l/7", "l: [0]", "l: [0]");
}

#[test]
fn what_cannot_be_edited_is_refused() {
    let check = |key: &str, before: &str, expect: &str| {
        let actual = yaml(key, Some(Value::Int(1))).edit(before).map(|edited| edited.text);
        assert_eq!(actual, Err(expect.to_owned()), "{key} in {before:?}");
    };
    check("k", "k: [", "it is not YAML: line 1: while parsing a node, did not find expected node content");
    check("k", "a: 0\n---\nb: 0\n", "there is a second document in line 3: only one is edited");
    check("k", "k: 0\nx: {a: 0, a: 0}\n", "line 2: the key \"a\" is written twice");
    check("k", "just prose", "line 1: there is a value and nothing below it, so there is no \"k\"");
    check("a/k", "a: text", "line 1: there is a value and nothing below it, so there is no \"k\"");
    check(
        "a/k",
        "x: &x {k: 0}\na: *x\n",
        "line 2: the value of \"k\" is an alias, which cannot be edited here",
    );
    check(
        "k",
        "k: &x 0\na: *x\n",
        "line 1: the value has an anchor or a tag, so other keys may depend on it",
    );
    check("k", "k: !secret 0\n", "line 1: the value has an anchor or a tag, so other keys may depend on it");
    check("l/a", "l: [0]", "line 1: there is a list, and \"a\" is not the number of an item");
    check("l/2", "l: [0]", "line 1: the list has 1 items, which are counted from 0: the next is 1");
    check("k/0", "k: a: b", "it is not YAML: line 1: mapping values are not allowed in this context");
    let error = yaml("l/0", None).edit("l: [0, 1]\n").unwrap_err();
    assert_eq!(
        error,
        "line 1: removing an item moves the others up, so each run would remove another one: write the whole list instead"
    );
    let deep = "[".repeat(20_000);
    let expect = "it is not YAML: line 1: ";
    let actual = yaml("k", Some(Value::Int(1))).edit(&deep).unwrap_err();
    assert!(actual.starts_with(expect), "{actual}");
}

proptest! {
    /// A second edit changes nothing, and no text causes a panic or the refusal of a simple edit.
    ///
    /// The edit itself checks that the result has the value and everything else as before.
    #[test]
    fn no_text_makes_it_panic(
        before in "([\\[\\]{}:#,&*!|>'\"? \t\r\n-]|[akä0-9]|\\PC){0,30}",
        key in "[ak01](/[ak01]){0,2}",
        value in prop_oneof![Just(None), Just(Some(Value::Int(1))), Just(Some(list(&["a", "b"])))],
    ) {
        let edit = yaml(&key, value);
        let output = edited(&edit, &before);
        prop_assert!(!output.starts_with("error: each") && !output.starts_with("error of"), "{output}");
    }

    #[test]
    fn plain_files_are_edited(
        before in "((a|k|x|y|z): ?(# c|0|'t'|\\[0, 1\\]|\n  (a|k): 1( # c)?|\n- 0)?(\n|\r\n)){0,5}",
        key in "[ak](/[ak])?",
        remove in any::<bool>(),
    ) {
        let names: Vec<&str> = before.lines().filter_map(|line| line.split_once(':').map(|(name, _)| name)).collect();
        let is_once = |name: &&str| name.starts_with(' ') || names.iter().filter(|candidate| *candidate == name).count() == 1;
        prop_assume!(names.iter().all(is_once));
        prop_assume!(!before.contains(":0") && !before.contains(":'") && !before.contains(":[") && !before.contains(":#"));
        let edit = yaml(&key, (!remove).then_some(Value::Int(1)));
        let output = edited(&edit, &before);
        let is_below_no_map = output.contains("nothing below it") || output.contains("number of an item");
        prop_assert!(!output.starts_with("error") || is_below_no_map, "{output}\n{before}");
    }
}

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/etc/app.yaml", "server:\n  port: 80 # for all\n")
        .with_file("/etc/prose", "it is: prose: \n")
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, key: Value, value: Value, expect: &str| {
        let extra = [("key", key), ("value", value)];
        let actual = plan::<YamlPreparer>(&system, &at(destination, &extra)).await;
        assert_eq!(actual, expect, "{destination} {extra:?}");
    };
    check("/etc/app.yaml", list(&["server", "port"]), Value::Int(80), "no change").await;
    check(
        "/etc/app.yaml",
        list(&["server", "port"]),
        Value::Int(81),
        "will change\ncontent: \"server:\\n  port: 80 # for all\\n\" => \"server:\\n  port: 81 # for all\\n\"",
    )
    .await;
    check("/etc/none", "a".into(), "b".into(), "error: /etc/none does not exist: `create = true` makes it")
        .await;
    check(
        "/etc/prose",
        "a".into(),
        "b".into(),
        "error: /etc/prose: it is not YAML: line 1: mapping values are not allowed in this context",
    )
    .await;
    check("/etc/app.yaml", list(&["a", ""]), "b".into(), "error: key: one of the keys is empty").await;
    let secret = map(&[("token", Value::from("hunter2").into_secret())]);
    check("/etc/app.yaml", "a".into(), secret, "will change\ncontent: \"(sensitive)\" => \"(sensitive)\"")
        .await;
    let no_value = at("/etc/app.yaml", &[("key", "a".into())]);
    assert_eq!(
        plan::<YamlPreparer>(&system, &no_value).await,
        "error: value: `value` is required, as `state` is \"present\""
    );
}

#[tokio::test]
async fn it_is_set_and_removed() {
    let model = Arc::new(model());
    let check = async |more: Written<'_>, expect: &str| {
        let extra = [&[("key", list(&["server", "host"]))], more].concat();
        assert_eq!(settled::<YamlPreparer>(&model, "/etc/app.yaml", &extra).await, expect);
    };
    check(&[("value", Value::from("a").into_secret())], "server:\n  port: 80 # for all\n  host: a\n").await;
    check(&[("value", "b".into())], "server:\n  port: 80 # for all\n  host: b\n").await;
    check(&[("state", "absent".into())], "server:\n  port: 80 # for all\n").await;
}

laws!(
    YamlPreparer,
    start = model,
    values = ("destination", ["/etc/app.yaml", "/etc/new", "/etc/prose"]),
    values = ("key", ["server", "host"]),
    values = ("value", ["81", "80", ""]),
    values = ("validate", ["true {}"])
);
