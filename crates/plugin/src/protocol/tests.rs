//! Tests of the protocol: messages survive a round trip, and the wire format does not change.

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::*;
use crate::sdk::error::Error;
use crate::sdk::status::{Status, StatusLevel, TaskStatus as _};
use crate::system::{SystemError, SystemErrorKind};
use crate::types::value::{Value, ValueMap};

fn there_and_back<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let line = line(value).unwrap();
    assert_eq!(line.iter().position(|byte| *byte == b'\n'), Some(line.len() - 1), "a message is one line");
    serde_json::from_slice(&line).unwrap()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<f64>().prop_filter("NaN is not itself", |number| !number.is_nan()).prop_map(Value::Float),
        Just(Value::Float(1.0)),
        ".*".prop_map(Value::from),
        "[a-z.]{1,8}".prop_map(Value::unknown),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::vec(("[$a-z]{0,3}|\\$secret|\\$map", inner.clone()), 0..4)
                .prop_map(|items| Value::Map(items.into_iter().collect::<ValueMap<_>>())),
            inner.prop_map(Value::into_secret),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_comes_as_it_was_sent(value in any_value()) {
        prop_assert_eq!(there_and_back(&WireValue(value.clone())).0, value);
    }

    #[test]
    fn what_a_plugin_sends_never_panics(text in "\\PC*") {
        drop(serde_json::from_str::<FromPlugin>(&text));
        drop(serde_json::from_str::<WireValue>(&text));
        drop(serde_json::from_str::<WireType>(&text));
    }

    #[test]
    fn what_nearly_is_a_value_never_panics(
        text in r#"(\{|\}|\[|\]|,|:|"\$secret"|"\$map"|"\$float"|"\$unknown"|"a"|1|null){0,12}"#,
    ) {
        drop(serde_json::from_str::<WireValue>(&text));
    }
}

#[test]
fn numbers_come_as_they_were_sent() {
    for number in [0.1 + 0.2, 1.0, -0.0, 5e-324, f64::MAX, 1.234_567_890_123_456_7e-300, f64::INFINITY] {
        assert_eq!(there_and_back(&WireValue(Value::Float(number))).0, Value::Float(number));
    }
}

#[test]
fn marks_are_read_strictly() {
    let check = |text: &str, expect: &str| {
        let error = serde_json::from_str::<WireValue>(text).unwrap_err().to_string();
        assert!(error.starts_with(expect), "{text}: {error}");
    };
    check(r#"{"$secret":1,"a":2}"#, "`$secret` stands alone in its object");
    check(r#"{"a":2,"$secret":1}"#, "`$secret` stands alone in its object");
    check(r#"{"$other":1}"#, "`$other` is not one of");
    check(r#"{"$float":"1"}"#, "a `$float` is one of");
    check(r#"{"a":1,"a":2}"#, "`a` is given twice");
    check(r#"{"$map":[["a",1],["a",2]]}"#, "`a` is given twice");
}

#[test]
fn an_error_is_the_same_on_the_other_side() {
    let check = |error: Error| {
        let decoded_error = Error::from(there_and_back(&WireError::from(&error)));
        assert_eq!(decoded_error.to_string(), error.to_string());
        assert_eq!(std::mem::discriminant(&decoded_error), std::mem::discriminant(&error));
        assert_eq!(decoded_error.limit(), error.limit());
    };
    let file = SystemError::file("write", "/a", SystemErrorKind::FileTooLarge(7));
    check(Error::msg("it is full"));
    check(Error::Cancelled);
    check(file.clone().into());
    check(Error::from(file).context("inner").context("outer"));
    check(SystemError::other("run", "ls", SystemErrorKind::Other("no".to_owned())).into());
}

#[test]
fn a_status_is_the_same_on_the_other_side() {
    let mut status = Status::new();
    status.add_difference("a", "1", "2");
    status.add_difference_with_default("b", "", "x", "(none)");
    status.add_diff("c", crate::sdk::status::SecretDiff { changes: true });
    status.add_message("said");
    status.add_warning("warned");
    status.raise_level_for_diffs();
    status.set_error("it is full");
    let wire = WireStatus::from(&status);
    let decoded_status = Status::from(there_and_back(&wire));
    assert_eq!(WireStatus::from(&decoded_status), wire);
    assert_eq!(decoded_status.level(), StatusLevel::CantChange);
    assert!(decoded_status.has_changes());
}

/// Authors in other languages rely on this format.
///
/// A change of it needs a new protocol version.
#[test]
fn the_protocol_is_as_it_is_documented() {
    let documented = include_str!("../../../../docs/reference/plugin-protocol.md");
    let missing: Vec<&str> =
        Ask::NAMES.iter().copied().filter(|name| !documented.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/reference/plugin-protocol.md says nothing of {missing:?}");
    for line in documented.lines().filter(|line| line.starts_with('{')) {
        let is_known = serde_json::from_str::<FromHost>(line).is_ok()
            || serde_json::from_str::<FromPlugin>(line).is_ok();
        assert!(is_known, "docs/reference/plugin-protocol.md shows what is not a message: {line}");
        if let Ok(FromPlugin::Ask { question, .. }) = serde_json::from_str(line) {
            let question: Result<Ask, _> = serde_json::from_value(question);
            assert!(question.is_ok(), "docs/reference/plugin-protocol.md asks what cannot be asked: {line}");
        }
    }
}
