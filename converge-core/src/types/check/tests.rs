//! What the attributes of a field say about values, and how blocks are read.

use super::*;
use crate::types::schema::{BlockKind, Field};
use crate::types::value::{FieldError, FieldErrorKind, REDACTED, Value};

fn field<T: crate::types::convert::FromValue>(change: impl FnOnce(&mut Field)) -> Field {
    let mut field = Field::new::<T>("f", "");
    change(&mut field);
    field
}

fn lines(errors: &[FieldError]) -> String {
    errors.iter().map(|error| format!("{}: {error}", error.path)).collect::<Vec<_>>().join("; ")
}

/// Checks a value against a field, plain and as a secret, of which nothing may be shown.
fn check(field: &Field, value: impl Into<Value>, expect: Result<(), &str>) {
    let value = value.into();
    let found = super::check(field, &value).map_err(|errors| lines(&errors));
    assert_eq!(found.as_ref().copied().map_err(String::as_str), expect, "{field:?} {value}");
    let secret = super::check(field, &value.clone().into_secret()).map_err(|errors| lines(&errors));
    let hidden = found.map_err(|message| message.replace(&value.to_string(), REDACTED));
    assert_eq!(secret, hidden, "a secret {value}");
}

#[test]
fn nonempty_refuses_zero_however_it_is_written() {
    let text = field::<String>(|field| field.nonempty = true);
    check(&text, "x", Ok(()));
    check(&text, " ", Ok(()));
    check(&text, "", Err("f: `f` must not be empty"));
    let number = field::<Option<i64>>(|field| field.nonempty = true);
    check(&number, 1, Ok(()));
    check(&number, Value::Null, Ok(()));
    for zero in [Value::Int(0), Value::Float(0.0), "0".into(), "-0".into(), " 00 ".into()] {
        check(&number, zero, Err("f: `f` must not be empty"));
    }
    let list = field::<Vec<u8>>(|field| field.nonempty = true);
    check(&list, vec![0], Ok(()));
    check(&list, Vec::<i64>::new(), Err("f: `f` must not be empty"));
}

#[test]
fn only_valid_values_are_taken_also_by_an_optional_field() {
    let word = field::<Option<String>>(|field| field.valid_values = &["present", "absent"]);
    check(&word, "absent", Ok(()));
    check(&word, Value::Null, Ok(()));
    check(&word, "Absent", Err("f: \"Absent\" is not one of present, absent"));
    check(&word, "", Err("f: \"\" is not one of present, absent"));
    let number = field::<u8>(|field| field.valid_values = &["1", "8"]);
    for eight in [Value::Int(8), Value::Float(8.0), "8".into(), "08".into()] {
        check(&number, eight, Ok(()));
    }
    check(&number, 2, Err("f: 2 is not one of 1, 8"));
    check(&number, "x", Err("f: \"x\" is not an integer"));
    let flag = field::<bool>(|field| field.valid_values = &["true"]);
    check(&flag, true, Ok(()));
    check(&flag, false, Err("f: false is not one of true"));
}

#[test]
fn bounds_hold_for_numbers_and_durations_and_include_themselves() {
    let number = field::<i32>(|field| (field.min, field.max) = (Some(1.0), Some(5.0)));
    for inside in [Value::Int(1), Value::Int(5), "3".into()] {
        check(&number, inside, Ok(()));
    }
    check(&number, 0, Err("f: 0 is out of range: at least 1 and at most 5"));
    check(&number, "6", Err("f: \"6\" is out of range: at least 1 and at most 5"));
    let least = field::<std::time::Duration>(|field| field.min = Some(1.5));
    check(&least, "1500ms", Ok(()));
    check(&least, "1s", Err("f: \"1s\" is out of range: at least 1.5"));
    let most = field::<f64>(|field| field.max = Some(0.5));
    check(&most, 0.5, Ok(()));
    check(&most, 0.75, Err("f: 0.75 is out of range: at most 0.5"));
}

#[test]
fn a_pattern_is_for_text() {
    let word = field::<String>(|field| field.pattern = Some("^[a-z]+$"));
    check(&word, "abc", Ok(()));
    check(&word, "aBc", Err("f: \"aBc\" does not match the pattern `^[a-z]+$`"));
    check(&word, "", Err("f: \"\" does not match the pattern `^[a-z]+$`"));
    let word = field::<String>(|field| {
        field.pattern = Some("^[a-z]+$");
        field.expects = Some("a word of a-z");
    });
    check(&word, "aBc", Err("f: \"aBc\" is not a word of a-z"));
}

#[test]
fn what_a_sensitive_field_refuses_is_not_shown() {
    let secret = field::<String>(|field| {
        field.sensitive = true;
        field.pattern = Some("^[a-z]+$");
    });
    let found = super::check(&secret, &Value::string("HUNTER2")).map_err(|errors| lines(&errors));
    assert_eq!(found, Err(format!("f: {REDACTED} does not match the pattern `^[a-z]+$`")));
}

#[test]
fn help_says_what_to_write() {
    let check = |kind: FieldErrorKind, expect: Option<&str>| {
        assert_eq!(kind.help().as_deref(), expect, "{kind}");
    };
    let decimal = |shown: &str, base| FieldErrorKind::DecimalInBase { shown: shown.into(), base };
    check(decimal("777", 8), Some("write `0777`"));
    check(decimal("999", 8), Some("the digits of base 8 are 0 to 7"));
    check(decimal("-17", 8), Some("write `\"-17\"`"));
    check(decimal("10", 2), Some("write `\"10\"`"));
    check(decimal("12", 2), Some("the digits of base 2 are 0 to 1"));
    check(decimal("99", 16), Some("write `\"99\"`"));
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let allowed = names(&["present", "absent"]);
    let close = FieldErrorKind::NotAllowed { shown: "\"presnt\"".into(), allowed: allowed.clone() };
    check(close, Some("did you mean \"present\"?"));
    check(FieldErrorKind::NotAllowed { shown: "\"zzz\"".into(), allowed }, None);
    let together =
        FieldErrorKind::RequiredTogether { fields: names(&["a", "b", "c"]), written: names(&["b"]) };
    check(together, Some("add `a` and `c`"));
    check(FieldErrorKind::Requires { field: "a".into(), needs: "b".into() }, Some("add `b`"));
    check(FieldErrorKind::Missing { field: "a".into() }, None);
}

#[test]
fn a_map_is_sorted_to_fields_and_every_mistake_is_kept() {
    let fields = vec![
        field::<u8>(|field| field.name = "size"),
        field::<String>(|field| (field.name, field.aliases) = ("label", &["tag"])),
        field::<u8>(|field| (field.name, field.default) = ("count", Some(Value::Int(3)))),
    ];
    let block = BlockKind { fields, rules: Vec::new() };
    let read = |entries: &[(&str, Value)]| {
        let entries = entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let mut read = Fields::from_map(&block, entries);
        let values = (
            read.take::<u8>(0, || None),
            read.take::<String>(1, || Some("none".to_owned())),
            read.take::<u8>(2, || None),
        );
        (values, lines(&read.into_errors()))
    };
    let check = |entries: &[(&str, Value)], values: (Option<u8>, Option<&str>, Option<u8>), errors: &str| {
        let ((size, label, count), found) = read(entries);
        assert_eq!((size, label.as_deref(), count), values, "{entries:?}");
        assert_eq!(found, errors, "{entries:?}");
    };
    check(&[("size", 1.into()), ("tag", "x".into())], (Some(1), Some("x"), Some(3)), "");
    check(&[("size", 1.into()), ("count", "9".into())], (Some(1), Some("none"), Some(9)), "");
    check(&[], (None, Some("none"), Some(3)), "size: `size` is required");
    check(
        &[("sise", 1.into()), ("size", 256.into()), ("tag", "x".into()), ("label", "y".into())],
        (None, Some("x"), Some(3)),
        "sise: unknown field `sise`; label: `label` is given twice, also as `tag`; \
         size: 256 is out of range: at least 0 and at most 255",
    );
}
