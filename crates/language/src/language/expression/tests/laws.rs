//! Property tests of inverse functions and of shell quoting.

use std::net::{Ipv4Addr, Ipv6Addr};

use proptest::prelude::*;

use super::{TestScope, lower};
use crate::types::value::Value;

/// Evaluates an expression with `leaf` as the value of `param.leaf`.
fn evaluate_with_leaf(text: &str, leaf: Value) -> Value {
    let scope = TestScope { leaf, ..TestScope::new() };
    match lower(text).map(|expression| expression.evaluate(&scope)) {
        Ok(Ok(value)) => value,
        other => panic!("{text}: {other:?}"),
    }
}

/// Generates values that documents can hold, including text that looks like another kind.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        Just(Value::Float(1.5)),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "yes", "~", "1", "- a", "a: b", "#", "", " a ", "\n", "a\n\nb\n", "<<", "*a", "'", "\\",
            "\u{feff}"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Map(map.into_iter().collect())),
        ]
    })
}

/// A regular expression for words that INI can hold.
const WORD: &str = "[a-zA-Z0-9][a-zA-Z0-9 ;#=\\[\\].]{0,6}[a-zA-Z0-9]";

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_are_read_as_they_are_written(value in value()) {
        prop_assert_eq!(evaluate_with_leaf("yamldecode(yamlencode(param.leaf))", value.clone()), value.clone());
        prop_assert_eq!(evaluate_with_leaf("jsondecode(jsonencode(param.leaf))", value.clone()), value);
    }

    #[test]
    fn texts_are_decoded_as_they_are_encoded(text in any::<String>()) {
        for law in ["urldecode(urlencode(param.leaf))", "base64decode(base64encode(param.leaf))", "strrev(strrev(param.leaf))"] {
            prop_assert_eq!(evaluate_with_leaf(law, text.as_str().into()), Value::from(text.as_str()), "{}", law);
        }
    }

    #[test]
    fn rows_are_read_as_they_are_written(
        rows in prop::collection::vec(prop::collection::vec("[a,\"\r\n é]{0,4}", 2), 1..5),
    ) {
        let row = |fields: &Vec<String>| Value::from([("x", fields[0].as_str()), ("y", fields[1].as_str())]);
        let rows = Value::List(rows.iter().map(row).collect());
        prop_assert_eq!(evaluate_with_leaf("csvdecode(csvencode(param.leaf))", rows.clone()), rows);
    }

    #[test]
    fn sections_are_read_as_they_are_written(
        sections in prop::collection::btree_map("[a-z ]{0,3}x", prop::collection::btree_map("[a-z]{1,3}", WORD, 0..4), 0..4),
    ) {
        let section = |keys: std::collections::BTreeMap<String, String>| {
            Value::Map(keys.into_iter().map(|(key, value)| (key, Value::from(value))).collect())
        };
        let trimmed = sections.into_iter().map(|(name, keys)| (name.trim().to_owned(), section(keys)));
        let value = Value::Map(trimmed.collect());
        prop_assert_eq!(evaluate_with_leaf("inidecode(iniencode(param.leaf))", value.clone()), value);
    }

    /// No input panics a parser or takes long.
    #[test]
    fn any_text_is_survived(text in "(?s).{0,40}", pieces in "[\\[\\]{}:,\"'\n =;#&*!|>a1-]{0,40}") {
        for text in [text, pieces] {
            let scope = TestScope { leaf: text.into(), ..TestScope::new() };
            for function in [
                "yamldecode", "jsondecode", "csvdecode", "inidecode", "urldecode", "urlparse", "quote", "type", "title", "strrev",
            ] {
                let _ = lower(&format!("{function}(param.leaf)")).map(|expression| expression.evaluate(&scope));
            }
            for call in [
                "formatdate(param.leaf, \"2026-01-01T00:00:00Z\")",
                "formatdate(\"s\", param.leaf)",
                "timeadd(\"2026-01-01T00:00:00Z\", param.leaf)",
                "versioncmp(param.leaf, \"1\")",
                "versionmatches(\"1\", param.leaf)",
                "cidrcontains(\"10.0.0.0/8\", param.leaf)",
                "cidrhost(param.leaf, 1)",
                "parseint(param.leaf, 62)",
                "format(param.leaf, 1, \"a\")",
                "uuidv5(param.leaf, \"a\")",
            ] {
                let _ = lower(call).map(|expression| expression.evaluate(&scope));
            }
        }
    }

    #[test]
    fn hosts_and_networks_are_in_their_network(
        v4 in any::<u32>(),
        v6 in any::<u128>(),
        length in 0_u32..=32,
        more in 0_u32..=16,
        number in any::<u16>(),
    ) {
        let (v4, v6) = (Ipv4Addr::from_bits(v4), Ipv6Addr::from_bits(v6));
        for (network, length, bits) in [(format!("{v4}/{length}"), length, 32), (format!("{v6}/{}", length * 3), length * 3, 128)] {
            let extra_bits = more.min(bits - length);
            let host = u64::from(number) & (2_u64.pow((bits - length).min(16)) - 1);
            let subnet = u64::from(number) & (2_u64.pow(extra_bits) - 1);
            let inside = evaluate_with_leaf(
                &format!(
                    "[cidrcontains(param.leaf, cidrhost(param.leaf, {host})), cidrcontains(param.leaf, cidrhost(param.leaf, -1)), \
                     cidrcontains(param.leaf, cidrsubnet(param.leaf, {extra_bits}, {subnet}))]"
                ),
                network.as_str().into(),
            );
            prop_assert_eq!(inside, Value::List(vec![true.into(); 3]), "{} {} {}", network, extra_bits, number);
            // The first subnets have the lowest numbers, one after the other.
            if extra_bits > 0 {
                let comparison = format!(
                    "cidrsubnets(param.leaf, {extra_bits}, {extra_bits}) == [cidrsubnet(param.leaf, {extra_bits}, 0), cidrsubnet(param.leaf, {extra_bits}, 1)]"
                );
                prop_assert_eq!(evaluate_with_leaf(&comparison, network.as_str().into()), Value::Bool(true));
            }
        }
    }

    #[test]
    fn sets_have_their_laws(one in prop::collection::vec(0..5_i64, 0..6), other in prop::collection::vec(0..5_i64, 0..6)) {
        let lists = Value::List(vec![one.into(), other.into()]);
        for law in [
            "setunion(setsubtract(param.leaf[0], param.leaf[1]), setintersection(param.leaf...)) == toset(param.leaf[0])",
            "setintersection(param.leaf...) == setintersection(param.leaf[1], param.leaf[0])",
            "setintersection(setsubtract(param.leaf...), param.leaf[1]) == []",
            "length(setproduct(param.leaf...)) == length(param.leaf[0]) * length(param.leaf[1])",
            "concat([], chunklist(param.leaf[0], 2)...) == param.leaf[0]",
        ] {
            prop_assert_eq!(evaluate_with_leaf(law, lists.clone()), Value::Bool(true), "{} {}", law, lists);
        }
    }

    #[test]
    fn times_are_what_was_added(seconds in 0_i64..200_000_000_000) {
        let law = "timecmp(timeadd(timeadd(\"1970-01-01T00:00:00+02:00\", \"${S}s\"), \"-${S}s\"), \"1970-01-01T00:00:00+02:00\")";
        prop_assert_eq!(evaluate_with_leaf(&law.replace("${S}", &seconds.to_string()), Value::Null), Value::Int(0));
    }
}

/// A shell reads quoted text back unchanged, byte for byte.
#[test]
#[expect(clippy::disallowed_methods, reason = "only a shell knows what it reads")]
fn a_shell_reads_what_is_quoted() {
    let mut words: Vec<String> = (1..=0x2ff).filter_map(char::from_u32).map(String::from).collect();
    words.extend(
        [
            "", " ", "'", "''", "a'b", "$HOME", "`id`", "$(id)", "\\", "a\\'", "!!", "*", "~", "-n", "\n\n",
            "'\n'", "#a", "a=b",
        ]
        .map(str::to_owned),
    );
    words.push(words.concat());
    let quoted = evaluate_with_leaf("quote(param.leaf)", words.clone().into());
    let script = format!("printf '%s\\0' {}", quoted.as_str().unwrap_or_default());
    let output = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
    assert!(output.stderr.is_empty());
    let read = String::from_utf8(output.stdout).unwrap();
    let mut expect = words.join("\0");
    expect.push('\0');
    assert_eq!(read, expect);
}
