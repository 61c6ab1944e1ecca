//! Tests of the attributes of fields, and of reading blocks.

use super::*;
use crate::types::schema::{BlockKind, Field};
use std::collections::{BTreeMap, BTreeSet};

use crate::types::convert::OneOrMany;
use crate::types::value::{FieldError, FieldErrorKind, REDACTED, Secret, Value};

fn field<T: crate::types::convert::FromValue>(change: impl FnOnce(&mut Field)) -> Field {
    let mut field = Field::new::<T>("f", "");
    change(&mut field);
    field
}

fn lines(errors: &[FieldError]) -> String {
    errors.iter().map(|error| format!("{}: {error}", error.path)).collect::<Vec<_>>().join("; ")
}

/// Checks a value against a field, both plain and as a secret, which must not be shown.
fn check(field: &Field, value: impl Into<Value>, expect: Result<(), &str>) {
    let value = value.into();
    let actual = super::check(field, &value).map_err(|errors| lines(&errors));
    assert_eq!(actual.as_ref().copied().map_err(String::as_str), expect, "{field:?} {value}");
    let secret = super::check(field, &value.clone().into_secret()).map_err(|errors| lines(&errors));
    let hidden = actual.map_err(|message| message.replace(&value.to_string(), REDACTED));
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
fn null_is_as_if_nothing_was_written() {
    check(&field::<bool>(|_| {}), Value::Null, Ok(()));
    check(&field::<Vec<String>>(|_| {}), Value::Null, Ok(()));
    // The rules between fields report what is missing.
    check(&field::<bool>(|field| field.required = true), Value::Null, Ok(()));
    let flag = field::<bool>(|field| field.default = Some(true.into()));
    let name = field::<String>(|field| {
        field.name = "n";
        field.required = true;
    });
    let block = BlockKind { fields: vec![flag, name], rules: Vec::new() };
    let convert_both = |flag: Value, name: Value| {
        let map = [("f".to_owned(), flag), ("n".to_owned(), name)];
        let mut fields = Fields::from_map(&block, map);
        fields.check_shape();
        let flag = fields.take::<bool>(0, || None);
        let name = fields.take::<String>(1, || None);
        (flag, name, lines(&fields.into_errors()))
    };
    assert_eq!(convert_both(Value::Null, "x".into()), (Some(true), Some("x".into()), String::new()));
    assert_eq!(
        convert_both(Value::Null.into_secret(), "x".into()),
        (Some(true), Some("x".into()), String::new())
    );
    assert_eq!(convert_both(false.into(), Value::Null), (Some(false), None, "n: `n` is required".into()));
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
    // Bounds are shown in the base in which the values of the field are written.
    let mode = field::<u32>(|field| (field.base, field.min, field.max) = (Some(8), Some(0.0), Some(511.0)));
    check(&mode, "0777", Ok(()));
    check(&mode, "1777", Err("f: \"1777\" is out of range: at least 0 and at most 0777"));
    check(&mode, "77777777777777", Err("f: \"77777777777777\" is out of range: at least 0 and at most 0777"));
    let colour = field::<u32>(|field| (field.base, field.max) = (Some(16), Some(255.0)));
    check(&colour, "100", Err("f: \"100\" is out of range: at most 0xff"));
    let at_minimum = field::<std::time::Duration>(|field| field.min = Some(1.5));
    check(&at_minimum, "1500ms", Ok(()));
    check(&at_minimum, "1s", Err("f: \"1s\" is out of range: at least 1.5"));
    let at_maximum = field::<f64>(|field| field.max = Some(0.5));
    check(&at_maximum, 0.5, Ok(()));
    check(&at_maximum, 0.75, Err("f: 0.75 is out of range: at most 0.5"));
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
fn what_attributes_say_of_values_is_about_each_item() {
    type Change = fn(&mut Field);
    fn check<T: crate::types::convert::FromValue>(
        change: Change,
        valid: Value,
        invalid: Value,
        expect: &str,
    ) {
        let field = field::<T>(change);
        super::tests::check(&field, valid, Ok(()));
        let actual = super::check(&field, &invalid).map_err(|errors| lines(&errors));
        assert_eq!(actual, Err(expect.to_owned()), "{invalid}");
        // The conversion must refuse the same values as the check.
        let actual = convert::<T>(&field, invalid).map(drop).map_err(|errors| lines(&errors));
        assert_eq!(actual, Err(expect.to_owned()));
    }
    let words: Change = |field| field.valid_values = &["a", "b"];
    let pattern: Change = |field| field.pattern = Some("^[a-z]*$");
    let bounds: Change = |field| (field.min, field.max) = (Some(1.0), Some(5.0));
    let list = |items: &[&str]| Value::from(items.iter().map(|item| Value::from(*item)).collect::<Vec<_>>());
    let map = |items: [(&str, Value); 2]| Value::from(items);
    let numbers = |items: &[i64]| Value::from(items.to_vec());

    check::<Option<String>>(words, "a".into(), "c".into(), "f: \"c\" is not one of a, b");
    check::<Vec<String>>(words, list(&["a", "b"]), list(&["a", "c"]), "f[1]: \"c\" is not one of a, b");
    check::<BTreeSet<String>>(words, list(&["a"]), list(&["c"]), "f[0]: \"c\" is not one of a, b");
    check::<OneOrMany<String>>(words, "a".into(), "c".into(), "f: \"c\" is not one of a, b");
    check::<OneOrMany<String>>(words, list(&["a"]), list(&["c"]), "f[0]: \"c\" is not one of a, b");
    check::<BTreeMap<String, String>>(
        words,
        map([("x", "a".into()), ("y", "b".into())]),
        map([("x", "c".into()), ("y", "d".into())]),
        "f.x: \"c\" is not one of a, b; f.y: \"d\" is not one of a, b",
    );
    check::<BTreeMap<String, Vec<String>>>(
        words,
        map([("x", list(&["a"])), ("y", list(&[]))]),
        map([("x", list(&["a", "c"])), ("y", list(&[]))]),
        "f.x[1]: \"c\" is not one of a, b",
    );
    check::<Vec<Option<String>>>(words, list(&["a"]), list(&["a", ""]), "f[1]: \"\" is not one of a, b");
    check::<Vec<Secret<String>>>(
        words,
        list(&["a"]),
        Value::from(vec![Value::from("c").into_secret()]),
        &format!("f[0]: {REDACTED} is not one of a, b"),
    );
    check::<Vec<String>>(
        pattern,
        list(&["a", ""]),
        list(&["A"]),
        "f[0]: \"A\" does not match the pattern `^[a-z]*$`",
    );
    check::<String>(pattern, "a".into(), 7.into(), "f: 7 does not match the pattern `^[a-z]*$`");
    check::<Vec<u8>>(
        bounds,
        numbers(&[1, 5]),
        numbers(&[1, 6]),
        "f[1]: 6 is out of range: at least 1 and at most 5",
    );
    check::<BTreeMap<String, f64>>(
        bounds,
        map([("x", 1.into()), ("y", 5.into())]),
        map([("x", 0.into()), ("y", 5.into())]),
        "f.x: 0 is out of range: at least 1 and at most 5",
    );
    check::<Vec<std::time::Duration>>(
        bounds,
        list(&["1s"]),
        list(&["1m"]),
        "f[0]: \"1m\" is out of range: at least 1 and at most 5",
    );
    let times: Change = |field| field.valid_values = &["30s", "1m"];
    check::<std::time::Duration>(times, 60.into(), 61.into(), "f: 61 is not one of 30s, 1m");
    let numbers_as_text: Change = |field| field.valid_values = &["3", "4"];
    check::<String>(numbers_as_text, 3.into(), 5.into(), "f: 5 is not one of 3, 4");
    // Only the list itself must not be empty; its items may be zero.
    check::<Vec<u8>>(|field| field.nonempty = true, numbers(&[0]), numbers(&[]), "f: `f` must not be empty");
}

#[test]
fn a_number_is_refused_with_the_range_that_is_left() {
    fn check<T: crate::types::convert::FromValue>(
        bounds: (Option<f64>, Option<f64>),
        value: i64,
        expect: &str,
    ) {
        let field = field::<T>(|field| (field.min, field.max) = bounds);
        let actual = super::check(&field, &Value::Int(value)).map_err(|errors| lines(&errors));
        assert_eq!(actual, Err(format!("f: {value} is out of range: {expect}")));
    }
    check::<u16>((None, None), 99_999, "at least 0 and at most 65535");
    check::<u16>((Some(1.0), None), 99_999, "at least 1 and at most 65535");
    check::<u16>((Some(1.0), None), 0, "at least 1");
    check::<u16>((None, Some(1000.0)), 99_999, "at least 0 and at most 1000");
    check::<u16>((None, Some(1000.0)), 1001, "at most 1000");
    check::<u16>((Some(1.0), Some(1000.0)), 99_999, "at least 1 and at most 1000");
    check::<u16>((Some(-5.0), Some(1e9)), -6, "at least 0 and at most 65535");
    check::<Option<u64>>((None, Some(10.0)), -1, "at least 0 and at most 10");
    check::<std::num::NonZero<i8>>((Some(-5.0), None), 0, "at least -128 and at most 127, and not zero");
}

#[test]
fn what_is_known_of_a_value_is_checked_by_the_attributes() {
    let list = field::<Vec<String>>(|field| field.valid_values = &["a"]);
    let unknown = || Value::unknown("task.later");
    let check = |items: Vec<Value>, expect: &str| {
        assert_eq!(lines(&check_known_part(&list, &Value::List(items))), expect);
    };
    check(vec!["a".into(), unknown()], "");
    check(vec!["b".into(), unknown()], "f[0]: \"b\" is not one of a");
}

#[test]
fn what_a_sensitive_field_refuses_is_not_shown() {
    let secret = field::<String>(|field| {
        field.sensitive = true;
        field.pattern = Some("^[a-z]+$");
    });
    let result = super::check(&secret, &Value::string("HUNTER2")).map_err(|errors| lines(&errors));
    assert_eq!(result, Err(format!("f: {REDACTED} does not match the pattern `^[a-z]+$`")));
}

#[test]
fn help_says_what_to_write() {
    let check = |kind: FieldErrorKind, expect: Option<&str>| {
        assert_eq!(kind.help().as_deref(), expect, "{kind}");
    };
    let decimal = |shown: &str, base| FieldErrorKind::DecimalInBase { shown: shown.into(), base };
    check(decimal("777", 8), Some("write `0777`"));
    check(decimal("999", 8), Some("the digits of base 8 are 0 to 7"));
    check(decimal("-17", 8), Some("write `\"-21\"` for the decimal number -17"));
    check(decimal("10", 2), Some("write `\"1010\"` for the decimal number 10"));
    check(decimal("12", 2), Some("write `\"1100\"` for the decimal number 12"));
    check(decimal("255", 16), Some("write `\"ff\"` for the decimal number 255"));
    check(decimal("99", 16), Some("write `\"63\"` for the decimal number 99"));
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
