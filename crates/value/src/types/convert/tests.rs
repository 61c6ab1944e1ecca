//! Tests of accepted and refused values for each type, with the messages for users.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};
use jiff::Timestamp;

use super::{FromValue, ToValue};
use crate::types::value::{Conversion, FieldError, REDACTED, Secret, Value, ValueMap};

fn lines(errors: &[FieldError]) -> String {
    let line = |error: &FieldError| match error.path.to_string() {
        path if path.is_empty() => error.to_string(),
        path => format!("{path}: {error}"),
    };
    errors.iter().map(line).collect::<Vec<_>>().join("; ")
}

fn convert<T: FromValue>(value: Value, base: u32) -> Result<T, String> {
    T::from_value(value, &Conversion::with_base(base)).map_err(|errors| lines(&errors))
}

/// Checks one value; a refused secret must not be shown.
fn check<T: FromValue + Debug + PartialEq>(value: impl Into<Value>, expect: Result<T, &str>) {
    check_base(value, 10, expect);
}

fn check_base<T: FromValue + Debug + PartialEq>(value: impl Into<Value>, base: u32, expect: Result<T, &str>) {
    let value = value.into();
    let actual = convert::<T>(value.clone(), base);
    assert_eq!(actual, expect.map_err(str::to_owned), "{value}");
    let secret = convert::<T>(value.clone().into_secret(), base);
    match (&actual, &secret) {
        // Only `Value` itself keeps the secret mark.
        (Ok(plain), Ok(secret)) => assert_eq!(plain, secret, "a secret {value}"),
        (Err(plain), Err(secret)) => {
            let scalar = !matches!(value, Value::Null | Value::List(_) | Value::Map(_));
            let hidden = if scalar { plain.replace(&value.to_string(), REDACTED) } else { secret.clone() };
            assert_eq!(*secret, hidden);
        }
        _ => panic!("{value} is taken in one form only: {actual:?}, {secret:?}"),
    }
}

fn list(items: &[i64]) -> Value {
    Value::List(items.iter().copied().map(Value::Int).collect())
}

#[test]
fn text() {
    check("a b", Ok("a b".to_owned()));
    check("", Ok(String::new()));
    check(3, Ok("3".to_owned()));
    check(1.5, Ok("1.5".to_owned()));
    check(true, Ok("true".to_owned()));
    check::<String>(Value::Null, Err("expected a string, found null"));
    check::<String>(list(&[1]), Err("expected a string, found a list"));
    check::<String>([("a", 1)], Err("expected a string, found a map"));
    check::<String>(
        Value::unknown("task.a.status"),
        Err("the value is not known before task.a.status has been applied"),
    );
    check("/a//b/", Ok(PathBuf::from("/a//b/")));
    check::<PathBuf>(list(&[]), Err("expected a string, found a list"));
}

#[test]
fn booleans() {
    for truthy in ["t", "T", "true", "True", "TRUE", "tRuE"] {
        check(truthy, Ok(true));
    }
    for falsy in ["", "f", "F", "false", "False", "FALSE"] {
        check(falsy, Ok(false));
    }
    check(true, Ok(true));
    check(false, Ok(false));
    for text in ["yes", "no", "on", "off", "1", "0", "truthy", " true", "true ", "ｔrue"] {
        let message = format!("{text:?} is not a boolean: write true or false");
        check::<bool>(text, Err(&message));
    }
    check::<bool>(1, Err("expected a bool, found an integer"));
    check::<bool>(0.0, Err("expected a bool, found a number with a fraction"));
    check::<bool>(Value::Null, Err("expected a bool, found null"));
}

macro_rules! bounds {
    ($($ty:ident)*) => {$({
        let (least, most) = (i128::from($ty::MIN), i128::from($ty::MAX));
        let text = |number: i128| Value::string(number.to_string());
        check::<$ty>(text(least), Ok($ty::MIN));
        check::<$ty>(text(most), Ok($ty::MAX));
        for beyond in [least - 1, most + 1] {
            let message = format!("\"{beyond}\" is out of range: at least {least} and at most {most}");
            check::<$ty>(text(beyond), Err(&message));
        }
    })*};
}

#[test]
fn integers_end_where_their_width_does() {
    bounds!(i8 i16 i32 i64 u8 u16 u32 u64);
    check::<u8>(256, Err("256 is out of range: at least 0 and at most 255"));
    check::<u32>(-1, Err("-1 is out of range: at least 0 and at most 4294967295"));
    // The number exceeds every integer type.
    check::<u64>(
        "999999999999999999999999999999999999999999",
        Err("\"999999999999999999999999999999999999999999\" is not an integer"),
    );
}

#[test]
fn integers_are_read_from_text_and_whole_numbers() {
    check(5, Ok(5_u8));
    check("5", Ok(5_u8));
    check(" 5\n", Ok(5_u8));
    check("-5", Ok(-5_i8));
    check("+5", Ok(5_i8));
    check("007", Ok(7_u8));
    check(2.0, Ok(2_u8));
    check::<u8>(2.5, Err("expected an integer, found a number with a fraction"));
    check::<i64>(1e300, Err("expected an integer, found a number with a fraction"));
    check::<i64>(f64::NAN, Err("expected an integer, found a number with a fraction"));
    for text in ["", " ", "5x", "0x5", "1_000", "1e3", "five", "٥", "--5", "5 6"] {
        let message = format!("{text:?} is not an integer");
        check::<i64>(text, Err(&message));
    }
    check::<i64>(true, Err("expected an integer, found a bool"));
    check::<i64>(Value::Null, Err("expected an integer, found null"));
}

#[test]
fn text_counts_in_the_base_of_the_field() {
    check_base("777", 8, Ok(0o777_u32));
    check_base("0777", 8, Ok(0o777_u32));
    // The language has already parsed a plain number.
    check_base(0o777, 8, Ok(0o777_u32));
    check_base("ff", 16, Ok(255_u8));
    check_base("FF", 16, Ok(255_u8));
    check_base("z", 36, Ok(35_u8));
    check_base::<u32>("789", 8, Err("\"789\" is not an integer in base 8"));
    check_base::<u8>("777", 8, Err("\"777\" is out of range: at least 0 and at most 255"));
    // An invalid base counts as ten.
    for base in [0, 1, 37, u32::MAX] {
        check_base("10", base, Ok(10_u8));
    }
}

#[test]
fn floats() {
    check(1.5, Ok(1.5_f64));
    check(2, Ok(2.0_f64));
    check("1.5e3", Ok(1500.0_f64));
    check(" -0.5 ", Ok(-0.5_f64));
    check("1.5", Ok(1.5_f32));
    for text in ["", "inf", "NaN", "1e999", "1,5", "x"] {
        let message = format!("{text:?} is not a number");
        check::<f64>(text, Err(&message));
    }
    check::<f64>(true, Err("expected a number, found a bool"));
    check::<f32>("1e39", Err("\"1e39\" is out of range: at least -3.4028235e38 and at most 3.4028235e38"));
}

#[test]
fn durations() {
    check("1m30s", Ok(Duration::from_secs(90)));
    check(" 90 ", Ok(Duration::from_secs(90)));
    check(90, Ok(Duration::from_secs(90)));
    check("0", Ok(Duration::ZERO));
    for text in ["", "1d", "-1s", "soon", "1m 30s"] {
        let message = format!("{text:?} is not a duration: write it like \"1m30s\", or as whole seconds");
        check::<Duration>(text, Err(&message));
    }
    check::<Duration>(-1, Err("-1 is not a duration: write it like \"1m30s\", or as whole seconds"));
    check::<Duration>(1.5, Err("expected a duration, found a number with a fraction"));
    check::<Duration>(true, Err("expected a duration, found a bool"));
}

#[test]
fn times() {
    let time = |text: &str| Ok(text.parse::<Timestamp>().unwrap());
    check("2026-01-31T12:00:00Z", time("2026-01-31T12:00:00Z"));
    check("2026-01-31T12:00:00+02:00", time("2026-01-31T10:00:00Z"));
    check("2026-01-31", time("2026-01-31T00:00:00Z"));
    check(" 2024-02-29 ", time("2024-02-29T00:00:00Z"));
    for text in ["", "2026-02-29", "31.01.2026", "tomorrow", "2026-01-31T12:00:00", "2026-13-01"] {
        let message =
            format!("{text:?} is not a time: write it like \"2026-01-31\" or \"2026-01-31T12:00:00Z\"");
        check::<Timestamp>(text, Err(&message));
    }
    check::<Timestamp>(2026, Err("expected a time, found an integer"));
}

#[test]
fn absent_is_not_zero() {
    check(Value::Null, Ok(None::<u8>));
    check(0, Ok(Some(0_u8)));
    check("", Ok(Some(String::new())));
    check(false, Ok(Some(false)));
    check::<Option<u8>>("x", Err("\"x\" is not an integer"));
    check(7, Ok(Box::new(7_u8)));
}

#[test]
fn lists_and_maps_give_every_error_with_its_place() {
    check(list(&[1, 2]), Ok(vec![1_u8, 2]));
    check(list(&[]), Ok(Vec::<u8>::new()));
    check::<Vec<u8>>(1, Err("expected a list (an integer each), found an integer"));
    // Only blocks may be written without a list.
    check::<Vec<u8>>([("a", 1)], Err("expected a list (an integer each), found a map"));
    check::<Vec<u8>>(
        list(&[1, 256, 2, -1]),
        Err("[1]: 256 is out of range: at least 0 and at most 255; \
             [3]: -1 is out of range: at least 0 and at most 255"),
    );
    let two = || Value::from([("b", 1), ("a", 2)]);
    let entries = || [("b".to_owned(), 1_u8), ("a".to_owned(), 2)];
    check(two(), Ok(BTreeMap::from(entries())));
    check(two(), Ok(HashMap::from(entries())));
    check(two(), Ok(IndexMap::from(entries())));
    check::<BTreeMap<String, u8>>(list(&[]), Err("expected a map (an integer each), found a list"));
    let nested = Value::from([("x", list(&[1, 300])), ("y", Value::Int(1))]);
    check::<BTreeMap<String, Vec<u8>>>(
        nested,
        Err("x[1]: 300 is out of range: at least 0 and at most 255; \
             y: expected a list (an integer each), found an integer"),
    );
}

#[test]
fn a_secret_is_in_no_error() {
    fn hidden<T: FromValue>(value: impl Into<Value>) {
        let value = value.into();
        for (place, marked) in [("outside", value.clone().into_secret()), ("by its type", value)] {
            let errors = match place {
                "outside" => convert::<T>(marked, 10).err(),
                _ => convert::<Secret<T>>(marked, 10).err(),
            };
            let message = errors.expect("the value does not fit");
            assert!(!message.contains("hunter2"), "{message}");
            assert!(!message.contains("64738"), "{message}");
        }
    }
    hidden::<bool>("hunter2");
    hidden::<u8>("hunter2");
    hidden::<u8>(64738);
    hidden::<f64>("hunter2");
    hidden::<f32>(f64::MAX);
    hidden::<Duration>("hunter2");
    hidden::<Duration>(-64738);
    hidden::<Timestamp>("hunter2");
    hidden::<Vec<u8>>(vec!["hunter2"]);
    hidden::<BTreeMap<String, bool>>([("a", "hunter2")]);
    hidden::<Vec<BTreeMap<String, u8>>>(vec![Value::from([("a", "hunter2")])]);
}

#[test]
fn secrets_show_as_such_wherever_they_are() {
    let secret = Value::string("hunter2").into_secret();
    let inside = Value::List(vec![Value::Int(1), Value::from([("a", secret.clone())])]);
    for text in [
        secret.to_string(),
        inside.to_string(),
        format!("{inside:?}"),
        format!("{:?}", Secret::new("hunter2")),
        serde_json::to_string(&inside).unwrap(),
    ] {
        assert!(text.contains(REDACTED) && !text.contains("hunter2"), "{text}");
    }
    assert!(inside.contains_secret() && secret.contains_secret() && !Value::Int(1).contains_secret());
    assert_eq!(secret.clone().into_secret(), secret, "marking twice changes nothing");
    let read = Secret::<String>::from_value(Value::string("x"), &Conversion::default()).unwrap();
    assert_eq!(read.expose(), "x");
}

#[test]
fn what_is_unknown_inside_is_found() {
    let inside = Value::from([("a", Value::List(vec![Value::Null, Value::unknown("x.y")]))]);
    for value in [inside.clone(), inside.into_secret()] {
        assert_eq!(value.find_unknown().map(|unknown| &*unknown.waits_for), Some("x.y"));
    }
    assert_eq!(Value::from(vec![1, 2]).find_unknown(), None);
}

#[test]
fn zero_is_what_go_calls_zero() {
    let zeros = [
        Value::Null,
        Value::Bool(false),
        Value::Int(0),
        Value::Float(0.0),
        Value::string(""),
        Value::List(Vec::new()),
        Value::Map(ValueMap::default()),
    ];
    for value in zeros {
        assert!(value.is_zero() && value.clone().into_secret().is_zero(), "{value}");
    }
    let others = [Value::Bool(true), Value::Int(-1), Value::string(" "), list(&[0]), Value::unknown("x")];
    for value in others {
        assert!(!value.is_zero() && !value.clone().into_secret().is_zero(), "{value}");
    }
}

#[test]
fn numbers_of_the_machine_and_numbers_that_are_not_zero() {
    check(7, Ok(7_usize));
    check(-7, Ok(-7_isize));
    check::<usize>(-1, Err("-1 is out of range: at least 0 and at most 18446744073709551615"));
    check("7", NonZero::new(7_u16).ok_or(""));
    check::<NonZero<u16>>(0, Err("0 is out of range: at least 1 and at most 65535"));
    check::<NonZero<u16>>(99_999, Err("99999 is out of range: at least 1 and at most 65535"));
    check(-7, NonZero::new(-7_i8).ok_or(""));
    check::<NonZero<i8>>(0, Err("0 is out of range: at least -128 and at most 127, and not zero"));
    check::<NonZero<i8>>("x", Err("\"x\" is not an integer"));
    assert_eq!(NonZero::new(7_u64).unwrap().to_value(), Value::Int(7));
    assert_eq!(usize::MAX.to_value(), Value::string(usize::MAX.to_string()));
}

#[test]
fn what_is_written_as_text() {
    check("é", Ok('é'));
    check(3, Ok('3'));
    check::<char>("", Err("\"\" is not one character"));
    check::<char>("ab", Err("\"ab\" is not one character"));
    check("192.0.2.1", Ok(IpAddr::from([192, 0, 2, 1])));
    check("::1", Ok(IpAddr::from(Ipv6Addr::LOCALHOST)));
    let advice = "write it like \"192.0.2.1\"";
    check::<IpAddr>("a", Err(&format!("\"a\" is not an IP address: {advice} or \"2001:db8::1\"")));
    check::<Ipv4Addr>("::1", Err(&format!("\"::1\" is not an IPv4 address: {advice}")));
    check::<Ipv6Addr>("[::1]", Err("\"[::1]\" is not an IPv6 address: write it like \"2001:db8::1\""));
    check("[::1]:80", Ok(SocketAddr::from((Ipv6Addr::LOCALHOST, 80))));
    check::<SocketAddr>(
        "localhost:80",
        Err(
            "\"localhost:80\" is not an address with a port: write it like \"192.0.2.1:80\" or \"[2001:db8::1]:80\"",
        ),
    );
    check::<IpAddr>(list(&[1]), Err("expected a string, found a list"));
    assert_eq!(IpAddr::from(Ipv6Addr::LOCALHOST).to_value(), Value::string("::1"));
}

#[test]
fn sets() {
    check(list(&[2, 1, 2]), Ok(BTreeSet::from([1_u8, 2])));
    check(list(&[2, 1, 2]), Ok(HashSet::from([1_u8, 2])));
    check(list(&[2, 1, 2]), Ok(IndexSet::<u8>::from([2, 1])));
    check::<BTreeSet<u8>>(list(&[1, 300]), Err("[1]: 300 is out of range: at least 0 and at most 255"));
    check::<BTreeSet<u8>>(1, Err("expected a list (an integer each), found an integer"));
    assert_eq!(HashSet::from([2_u8, 1]).to_value(), list(&[1, 2]));
    assert_eq!(IndexSet::<u8>::from([2, 1]).to_value(), list(&[2, 1]));
}

#[test]
fn maps_with_keys_that_are_read() {
    let map = |keys: &[&str]| {
        Value::Map(keys.iter().map(|key| ((*key).to_owned(), Value::Int(1))).collect::<ValueMap<_>>())
    };
    check(map(&["80", "443"]), Ok(BTreeMap::from([(80_u16, 1_u8), (443, 1)])));
    check(map(&["::1"]), Ok(HashMap::from([(IpAddr::from(Ipv6Addr::LOCALHOST), 1_u8)])));
    let ports = convert::<IndexMap<u16, u8>>(map(&["80", "http", "080", "65536"]), 10);
    assert_eq!(
        ports.unwrap_err(),
        "http: this cannot be a key here: invalid digit found in string; \
         65536: this cannot be a key here: number too large to fit in target type"
    );
    let ports = convert::<IndexMap<u16, u8>>(map(&["80", "080"]), 10);
    assert_eq!(ports.unwrap_err(), "080: this key equals an earlier one: keep one of them");
    let secret = convert::<BTreeMap<u16, u8>>(map(&["http"]).into_secret(), 10);
    assert_eq!(secret.unwrap_err(), "http: this cannot be a key here");
    assert_eq!(BTreeMap::from([(80_u16, 1_u8)]).to_value(), map(&["80"]));
}
