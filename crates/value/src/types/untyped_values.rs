//! Conversion of values by the kind of their field, for plugin types without a Rust type.

use std::borrow::Cow;
use std::time::Duration;

use crate::types::check::Fields;
use crate::types::convert::{FromValue, wrong_kind};
use crate::types::schema::{BlockKind, ByKind, Field, Kind, find_field};
use crate::types::value::{
    Conversion, FieldError, FieldErrorKind, PathSegment, REDACTED, Value, ValueMap, ValuePath,
};

/// The conversion for fields that are known only by their description.
#[doc(hidden)]
pub const BY_KIND: ByKind = ByKind { convert: by_kind, is_word };

/// Converts a value to a kind: a number written as text becomes a number.
///
/// Values with several forms, such as durations, and numbers in another base stay as written. A secret stays
/// a secret.
///
/// # Errors
///
/// All reasons why the value does not fit, with paths that start at the value.
pub(crate) fn by_kind(kind: &Kind, value: Value, conversion: Conversion) -> Result<Value, Vec<FieldError>> {
    if let Value::Secret(inner) = value {
        return match by_kind(kind, *inner.into_exposed(), conversion) {
            Ok(value) => Ok(value.into_secret()),
            Err(errors) => Err(errors.into_iter().map(withheld).collect()),
        };
    }
    if value == Value::Null {
        return Ok(value);
    }
    match kind {
        Kind::Any => Ok(value),
        Kind::String => String::from_value(value, &conversion).map(Value::from),
        Kind::Bool => bool::from_value(value, &conversion).map(Value::Bool),
        Kind::Int { min, max } => integer(value, conversion, *min, *max),
        Kind::Float => f64::from_value(value, &conversion).map(Value::Float),
        Kind::Duration => Duration::from_value(value.clone(), &conversion).map(|_| value),
        #[cfg(not(feature = "jiff"))]
        Kind::Time => Ok(value),
        #[cfg(feature = "jiff")]
        Kind::Time => jiff::Timestamp::from_value(value.clone(), &conversion).map(|_| value),
        Kind::Enum(words) => word(&value, words),
        Kind::List(item) => match value {
            Value::List(items) => list(item, items, conversion),
            // A repeatable block that is written once.
            Value::Map(_) if matches!(**item, Kind::Block(_)) => list(item, vec![value], conversion),
            value => Err(wrong_kind(kind, &value)),
        },
        Kind::OneOrMany(item) => match value {
            Value::List(items) => list(item, items, conversion),
            value => by_kind(item, value, conversion),
        },
        Kind::Map(item) => match value {
            Value::Map(items) => map(item, items, conversion),
            value => Err(wrong_kind(kind, &value)),
        },
        Kind::Block(block) => match value {
            Value::Map(items) => fields(block, items),
            value => Err(wrong_kind(kind, &value)),
        },
    }
}

/// Replaces the text that an error shows of a secret.
fn withheld(error: FieldError) -> FieldError {
    let hide = |text: &mut String| REDACTED.clone_into(text);
    let FieldError { path, mut kind } = error;
    match &mut kind {
        FieldErrorKind::NotBool { shown }
        | FieldErrorKind::NotNumber { shown, .. }
        | FieldErrorKind::DecimalInBase { shown, .. }
        | FieldErrorKind::OutOfRange { shown, .. }
        | FieldErrorKind::NotAllowed { shown, .. }
        | FieldErrorKind::PatternMismatch { shown, .. }
        | FieldErrorKind::NotDuration { shown }
        | FieldErrorKind::NotTime { shown } => hide(shown),
        _ => {}
    }
    FieldError { path, kind }
}

fn refused(kind: FieldErrorKind) -> Vec<FieldError> {
    vec![FieldError { path: ValuePath::default(), kind }]
}

fn integer(value: Value, conversion: Conversion, min: i128, max: i128) -> Result<Value, Vec<FieldError>> {
    let text = value.to_string();
    let number = match u64::from_value(value.clone(), &conversion) {
        Ok(number) => i128::from(number),
        Err(_) => i128::from(i64::from_value(value.clone(), &conversion)?),
    };
    if !(min..=max).contains(&number) {
        let range = format!("at least {min} and at most {max}");
        return Err(refused(FieldErrorKind::OutOfRange { shown: text, range }));
    }
    // In another base a number and its text differ, and a larger number has no other form.
    match i64::try_from(number) {
        Ok(number) if conversion.base == 10 => Ok(Value::Int(number)),
        _ => Ok(value),
    }
}

fn word(value: &Value, words: &'static [&'static str]) -> Result<Value, Vec<FieldError>> {
    let text = match value {
        Value::String(text) => text.to_string(),
        Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_string(),
        _ => return Err(wrong_kind(&Kind::Enum(words), value)),
    };
    if words.contains(&text.as_str()) {
        return Ok(Value::from(text));
    }
    let allowed = words.iter().map(|word| (*word).to_owned()).collect();
    Err(refused(FieldErrorKind::NotAllowed { shown: value.to_string(), allowed }))
}

fn list(item: &Kind, items: Vec<Value>, conversion: Conversion) -> Result<Value, Vec<FieldError>> {
    let converted = items.into_iter().enumerate().map(|(index, value)| {
        by_kind(item, value, conversion).map_err(|errors| within(errors, &PathSegment::Index(index)))
    });
    Ok(Value::List(all(converted)?))
}

fn map(item: &Kind, items: ValueMap<Value>, conversion: Conversion) -> Result<Value, Vec<FieldError>> {
    let converted = items.into_iter().map(|(name, value)| match by_kind(item, value, conversion) {
        Ok(value) => Ok((name, value)),
        Err(errors) => Err(within(errors, &PathSegment::Name(name))),
    });
    Ok(Value::Map(all(converted)?.into_iter().collect()))
}

fn fields(block: &BlockKind, items: ValueMap<Value>) -> Result<Value, Vec<FieldError>> {
    let mut shape = Fields::from_map(block, items.clone());
    shape.check_shape();
    let mut errors = shape.into_errors();
    let mut converted = ValueMap::default();
    for (name, value) in items {
        // The error for an unknown name is reported elsewhere.
        let Some((_, field)) = find_field(&block.fields, &name) else { continue };
        match described_value(field, value) {
            Ok(value) => drop(converted.insert(field.name.to_owned(), value)),
            Err(new_errors) => errors.extend(new_errors),
        }
    }
    if errors.is_empty() { Ok(Value::Map(converted)) } else { Err(errors) }
}

/// Converts a value by the full description of its field.
///
/// # Errors
///
/// All reasons why the value is refused, with paths that start at the field.
#[doc(hidden)]
pub fn described_value(field: &Field, value: Value) -> Result<Value, Vec<FieldError>> {
    crate::types::check::check(field, &value)?;
    let value = by_kind(&field.kind, value, field.conversion());
    let value = value.map_err(|errors| within(errors, &PathSegment::Name(field.name.to_owned())))?;
    Ok(if field.sensitive && value != Value::Null { value.into_secret() } else { value })
}

fn within(errors: Vec<FieldError>, segment: &PathSegment) -> Vec<FieldError> {
    errors.into_iter().map(|error| error.within(segment.clone())).collect()
}

/// Returns all results, or the errors of all items.
fn all<T>(items: impl Iterator<Item = Result<T, Vec<FieldError>>>) -> Result<Vec<T>, Vec<FieldError>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            Ok(item) => values.push(item),
            Err(new_errors) => errors.extend(new_errors),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}

/// Whether a value of a kind equals the one that a word stands for.
///
/// Without a value, the empty value of the kind is compared.
pub(crate) fn is_word(kind: &Kind, value: Option<Value>, conversion: Conversion, word: &str) -> bool {
    let value = match value {
        Some(Value::Secret(secret)) => *secret.into_exposed(),
        Some(value) => value,
        None => match kind {
            Kind::String => Value::from(""),
            Kind::Bool => Value::Bool(false),
            Kind::Int { .. } => Value::Int(0),
            Kind::Float => Value::Float(0.0),
            _ => return false,
        },
    };
    let read = |value| by_kind(kind, value, conversion).ok();
    read(value).zip(read(Value::from(word))).is_some_and(|(given, wanted)| given == wanted)
}

/// Calls `add` with each name in a value: text and numbers name one thing, lists one for each item.
#[expect(
    clippy::needless_pass_by_value,
    reason = "it is what names things of a field, as the code of a type is"
)]
#[doc(hidden)]
pub fn names_of(value: Value, _: &Conversion, _: &'static str, add: &mut dyn FnMut(&str)) {
    fn names(value: &Value, add: &mut dyn FnMut(&str)) {
        let text: Cow<'_, str> = match value {
            Value::String(text) => Cow::Borrowed(text),
            Value::Int(number) => Cow::Owned(number.to_string()),
            Value::List(items) => return items.iter().for_each(|item| names(item, add)),
            _ => return,
        };
        if !text.is_empty() {
            add(&text);
        }
    }
    names(&value, add);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &Kind, value: impl Into<Value>, expect: &str) {
        let value = value.into();
        let actual = match by_kind(kind, value.clone(), Conversion::default()) {
            Ok(value) => format!("{value}{}", if value.contains_secret() { " secret" } else { "" }),
            Err(errors) => {
                let texts = errors.iter().map(|error| format!("{}: {error}", error.path));
                texts.collect::<Vec<_>>().join("; ")
            }
        };
        assert_eq!(actual, expect, "{kind} {value}");
    }

    #[test]
    fn values_are_what_their_kind_says() {
        let port = Kind::Int { min: 0, max: 65535 };
        check(&port, 80, "80");
        check(&port, "80", "80");
        check(&port, 65536, ": 65536 is out of range: at least 0 and at most 65535");
        check(&port, "http", ": \"http\" is not an integer");
        check(&port, -1, ": -1 is out of range: at least 0 and at most 65535");
        check(&port, Value::Null, "null");
        check(&Kind::String, 3, "\"3\"");
        check(&Kind::Bool, "t", "true");
        check(&Kind::Bool, "yes", ": \"yes\" is not a boolean: write true or false");
        check(&Kind::Float, "1.5", "1.5");
        check(&Kind::Duration, "1m", "\"1m\"");
        check(
            &Kind::Duration,
            "soon",
            ": \"soon\" is not a duration: write it like \"1m30s\", or as whole seconds",
        );
        check(&Kind::Enum(&["on", "off"]), "on", "\"on\"");
        check(&Kind::Enum(&["on", "off"]), "of", ": \"of\" is not one of on, off");
        let ports = Kind::List(Box::new(port.clone()));
        check(&ports, vec![Value::from("80"), Value::from("x")], "[1]: \"x\" is not an integer");
        check(&ports, 80, ": expected a list (an integer each), found an integer");
        check(&Kind::OneOrMany(Box::new(port.clone())), "80", "80");
        check(
            &Kind::Map(Box::new(port)),
            Value::Map(ValueMap::from_iter([("a".to_owned(), "1".into())])),
            "{a = 1}",
        );
    }

    #[test]
    fn secrets_stay_secret_and_are_in_no_error() {
        let port = Kind::Int { min: 0, max: 9 };
        check(&port, Value::from("8").into_secret(), "(sensitive) secret");
        check(&port, Value::from("hunter2").into_secret(), ": (sensitive) is not an integer");
        let list = Kind::List(Box::new(port));
        check(&list, vec![Value::from("hunter2").into_secret()], "[0]: (sensitive) is not an integer");
    }

    #[test]
    fn numbers_in_another_base_stay_as_they_are() {
        let mode = Kind::Int { min: 0, max: 0o7777 };
        let octal = Conversion::with_base(8);
        assert_eq!(by_kind(&mode, "0755".into(), octal), Ok("0755".into()));
        assert!(by_kind(&mode, "0999".into(), octal).is_err());
    }

    #[test]
    fn a_word_stands_for_a_value() {
        let check = |kind: &Kind, value: Option<Value>, word: &str, expect| {
            assert_eq!(
                is_word(kind, value.clone(), Conversion::default(), word),
                expect,
                "{kind} {value:?} {word}"
            );
        };
        check(&Kind::String, Some("a".into()), "a", true);
        check(&Kind::String, None, "", true);
        check(&Kind::Int { min: 0, max: 9 }, Some("3".into()), "3", true);
        check(&Kind::Bool, Some("f".into()), "false", true);
        check(&Kind::Enum(&["on"]), None, "on", false);
    }
}
