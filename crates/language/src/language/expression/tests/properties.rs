//! Property tests that hold for every expression.

use proptest::prelude::*;

use super::{BEFORE, TestScope, lower};
use crate::types::value::Value;

/// A secret that no output may contain.
const CANARY: &str = "canary-7f3a";

/// Leaf expressions; the tests vary the value of `param.leaf`.
const LEAVES: &[&str] = &[
    "param.leaf",
    "param.leaf",
    "param.leaf",
    "param.n",
    "param.s",
    "param.list",
    "param.map",
    "param.words",
    "param.null",
    "param.users",
    "1",
    "0",
    "2.5",
    "\"a\"",
    "\"\"",
    "true",
    "false",
    "null",
    "[]",
    "{}",
    "each.key",
    "param.gone",
    "\"{{param `leaf`}}-x\"",
];

/// Composite expressions, with `#` as the placeholder of operands.
const FORMS: &[&str] = &[
    "(#) + (#)",
    "(#) / (#)",
    "(#) == (#)",
    "(#) < (#)",
    "(#) && (#)",
    "(#) || (#)",
    "!(#)",
    "-(#)",
    "(#) ? (#) : (#)",
    "[#, #]",
    "{(#) = #}",
    "{a = #, b = #}",
    "(#)[#]",
    "(#).a",
    "(#)[*].a",
    "(#)[0]",
    "[for x in (#) : x]",
    "[for x in (#) : (#) if x == (#)]",
    "{for k, v in (#) : k => v}",
    "{for v in (#) : v => (#)...}",
    "[for x in (#) : upper(x)]",
    "upper(#)",
    "length(#)",
    "join(\",\", #)",
    "join(#, [\"a\", #])",
    "split(#, #)",
    "concat(#, #)",
    "merge(#, #)",
    "keys(#)",
    "values(#)",
    "contains(#, #)",
    "element(#, #)",
    "lookup(#, #, #)",
    "lookup(#, #)",
    "jsonencode(#)",
    "yamlencode(#)",
    "jsondecode(#)",
    "format(\"%v-%s\", #, #)",
    "format(#, #)",
    "replace(#, #, #)",
    "regex(#, #)",
    "regexall(\"a\", #)",
    "coalesce(#, #)",
    "try(#, #)",
    "can(#)",
    "try((#).a, #)",
    "toset(#)",
    "tonumber(#)",
    "tobool(#)",
    "tostring(#)",
    "zipmap(#, #)",
    "flatten(#)",
    "distinct(#)",
    "sort(#)",
    "compact(#)",
    "reverse(#)",
    "max((#)...)",
    "min(#, #)",
    "sum(#)",
    "range(#)",
    "substr(#, 0, #)",
    "base64decode(#)",
    "sha256(#)",
    "trim(#, #)",
    "templatefile(\"motd.tmpl\", {name = #})",
    "templatefile(\"loop.tmpl\", {names = #})",
    "file(#)",
    "fileexists(#)",
    "fileset(\"conf.d\", #)",
    "fileset(#, \"**\")",
    "lookup(#)",
    "slice(#, 0, #)",
    "quote(#)",
    "versioncmp(#, #)",
    "versionmatches(#, \">= 1\")",
    "setintersection(#, #)",
    "setsubtract(#, #)",
    "setproduct(#, #)",
    "in(#, #)",
    "index(#, #)",
    "matchkeys(#, #, #)",
    "alltrue([#, #])",
    "anytrue(#)",
    "list(#, #)",
    "dict(#, #)",
    "dict(#, 1, #, 2)",
    "chunklist(#, 1)",
    "one(#)",
    "coalescelist(#, #)",
    "transpose({(#) = [#]})",
    "deepmerge({a = #}, {a = #})",
    "deepmerge({a = {b = #}}, {a = #}, {a = {c = #}})",
    "deepmerge(#, #)",
    "add(#, #)",
    "sub(#, #)",
    "div(#, #)",
    "mod(#, #)",
    "pow(#, #)",
    "log(#, #)",
    "signum(#)",
    "parseint(#, 16)",
    "type(#)",
    "yamldecode(#)",
    "csvdecode(#)",
    "csvencode([{a = #, b = #}])",
    "inidecode(#)",
    "iniencode({a = #, b = {c = #}})",
    "urlencode(#)",
    "urldecode(#)",
    "urlparse(#)",
    "md5(#)",
    "uuidv5(\"dns\", #)",
    "formatdate(#, #)",
    "timeadd(#, #)",
    "cidrsubnet(#, 1, 0)",
    "cidrcontains(\"10.0.0.0/8\", #)",
    "formatlist(\"%s-%s\", #, #)",
    "formatlist(#, #)",
    "strcontains(#, #)",
    "strrev(#)",
    "sensitive(#)",
    "issensitive(#)",
    "issensitive([#, #])",
];

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(LEAVES).prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 3, |inner| {
        (prop::sample::select(FORMS), prop::collection::vec(inner, 3)).prop_map(|(form, parts)| {
            let mut parts = parts.into_iter().cycle();
            form.chars()
                .map(|c| if c == '#' { parts.next().unwrap_or_default() } else { c.to_string() })
                .collect()
        })
    })
}

/// Generates values of `param.leaf`.
fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::from(CANARY)),
        Just(Value::from(vec![CANARY, "a"])),
        Just(Value::from([(CANARY, 1)])),
        Just(Value::from([("a", CANARY)])),
        Just(Value::Int(1)),
        Just(Value::Int(0)),
        Just(Value::Bool(true)),
        Just(Value::Null),
        Just(Value::from("a")),
    ]
}

/// Returns the result as users see it.
fn message(text: &str, leaf: Value) -> Option<String> {
    let scope = TestScope { leaf, ..TestScope::new() };
    Some(match lower(text).ok()?.evaluate(&scope) {
        Ok(value) => format!("value {value}"),
        Err(error) => format!("error {error}"),
    })
}

/// Returns the result, with the message of an error dropped.
fn known(text: &str, leaf: Value) -> Option<Result<Value, ()>> {
    let scope = TestScope { leaf, ..TestScope::new() };
    Some(lower(text).ok()?.evaluate(&scope).map_err(drop))
}

/// Returns whether every known part of `part` is also in `whole`.
fn agrees(fragment: &Value, complete: &Value) -> bool {
    match (fragment, complete) {
        (Value::Unknown(_), _) => true,
        (Value::List(part), Value::List(whole)) => {
            part.len() == whole.len() && part.iter().zip(whole).all(|(part, whole)| agrees(part, whole))
        }
        (Value::Map(part), Value::Map(counterpart)) => {
            part.len() == counterpart.len()
                && part
                    .iter()
                    .all(|(name, part)| counterpart.get(name).is_some_and(|whole| agrees(part, whole)))
        }
        (Value::Secret(part), Value::Secret(whole)) => agrees(part.expose(), whole.expose()),
        _ => fragment == complete,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn secrets_are_never_shown(text in expression(), leaf in leaf()) {
        let text_shown = message(&text, leaf.into_secret());
        if let Some(message) = text_shown {
            prop_assert!(!message.contains(CANARY), "{text} shows {message}");
        }
    }

    /// The displayed result of a successful evaluation reveals nothing about the secret.
    #[test]
    fn what_is_shown_does_not_depend_on_a_secret(text in expression(), one in leaf(), other in leaf()) {
        let value = |leaf: Value| message(&text, leaf.into_secret()).filter(|shown| shown.starts_with("value"));
        if let (Some(one), Some(other)) = (value(one), value(other)) {
            prop_assert_eq!(one, other, "{}", text);
        }
    }

    /// A result that is known despite an unknown value stays the same once that value is known.
    #[test]
    fn what_is_known_stays_when_everything_is_known(text in expression(), leaf in leaf()) {
        let waiting = known(&text, Value::unknown("task.a"));
        match (waiting, known(&text, leaf)) {
            (Some(Ok(waiting)), Some(Ok(known))) => {
                prop_assert!(agrees(&waiting, &known), "{text}: {waiting:?} and then {known:?}");
            }
            // An expression that fails with an unknown leaf fails with every leaf.
            (Some(Err(())), Some(Ok(known))) => prop_assert!(false, "{text} fails, and then gives {known:?}"),
            _ => {}
        }
    }

    #[test]
    fn errors_and_references_are_at_characters(text in expression(), leaf in leaf()) {
        let file = format!("{BEFORE}{text}\n");
        let is_in_file = |range: &std::ops::Range<u32>| file.get(range.start as usize..range.end as usize).is_some();
        match lower(&text) {
            Err(errors) => prop_assert!(errors.iter().all(|error| is_in_file(&error.range))),
            Ok(expression) => {
                prop_assert!(expression.references().iter().all(|reference| is_in_file(&reference.range)));
                let scope = TestScope { leaf, ..TestScope::new() };
                if let Err(error) = expression.evaluate(&scope) {
                    prop_assert!(is_in_file(&error.range), "{text}: {error}");
                }
            }
        }
    }
}
