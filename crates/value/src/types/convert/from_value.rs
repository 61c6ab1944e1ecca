//! From values of the module language to Rust types.

use std::num::NonZero;
use std::time::Duration;

use crate::types::schema::{Field, Kind};
use crate::types::value::{
    Conversion, FieldError, FieldErrorKind, REDACTED, Secret, Value, ValuePath, parse_duration,
};

/// A type that a field of a resource can have.
///
/// Implemented for strings, characters, booleans, integers (also those that are not 0), floats, durations, times, paths, addresses of networks,
/// lists, sets, maps from whatever [`FromStr`](std::str::FromStr) reads,
/// `Option`, [`Secret`] and [`Value`]; `#[derive(HclBlock)]`, `#[derive(HclEnum)]` and `#[derive(HclText)]`
/// implement it for one's own structs, words and what is parsed from text.
///
/// # Errors
///
/// A value that does not fit gives every reason found in it, each with the path to the value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a resource's field",
    label = "not a type that a module can give a value for",
    note = "derive `HclBlock` for a struct of fields, `HclEnum` for a choice of words or `HclText` for what `FromStr` reads, write \
            `Parsed<{Self}>` for a type of another crate that `FromStr` reads, or implement `FromValue`"
)]
pub trait FromValue: Sized {
    /// How deep blocks lie in each other in it. What is described has no end where they contain each other, and neither has this: then
    /// the compiler says so, with this name.
    #[doc(hidden)]
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = 0;

    /// What the type takes, for messages and documentation.
    fn kind() -> Kind;

    /// Reads a value. It is never unknown: the engine does not prepare a resource from unknown values.
    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>>;

    /// What text of this type has to match, as `#[derive(HclText)]` says it: for the description of a field.
    #[doc(hidden)]
    fn text_rule() -> Option<TextRule> {
        None
    }
}

/// A regular expression that text has to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRule {
    /// The regular expression.
    pub pattern: &'static str,
    /// The same in words.
    pub expects: Option<&'static str>,
}

impl Field {
    /// A field with no rules of its own. The derives set what the attributes say.
    pub fn new<T: FromValue>(name: &'static str, doc: &'static str) -> Self {
        Self::of_kind(name, doc, T::kind(), |value, conversion| T::from_value(value, conversion).map(drop))
    }
}

pub(super) fn error(kind: FieldErrorKind) -> Vec<FieldError> {
    vec![FieldError { path: ValuePath::default(), kind }]
}

/// The error for a value of the wrong kind, seen through a secret.
#[doc(hidden)]
pub fn wrong_kind(expected: &Kind, value: &Value) -> Vec<FieldError> {
    error(match value {
        Value::Unknown(unknown) => FieldErrorKind::NotKnown { waits_for: unknown.waits_for.to_string() },
        _ => FieldErrorKind::WrongKind { expected: expected.to_string(), found: value.kind() },
    })
}

/// Takes the secret wrapper off and says whether there was one, so that messages can leave the value out.
#[doc(hidden)]
pub fn reveal(value: Value) -> (Value, bool) {
    match value {
        Value::Secret(secret) => (*secret.into_exposed(), true),
        value => (value, false),
    }
}

pub(super) fn shown(value: &Value, secret: bool) -> String {
    if secret { REDACTED.to_owned() } else { value.to_string() }
}

impl FromValue for Value {
    fn kind() -> Kind {
        Kind::Any
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        Ok(value)
    }
}

impl FromValue for String {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        match reveal(value).0 {
            Value::String(text) => Ok(text.as_ref().to_owned()),
            // Numbers and booleans stand for their text, as in the original: `tag = 3`.
            value @ (Value::Int(_) | Value::Float(_) | Value::Bool(_)) => Ok(value.to_string()),
            value => Err(wrong_kind(&Self::kind(), &value)),
        }
    }
}

impl FromValue for std::path::PathBuf {
    fn kind() -> Kind {
        Kind::String
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        String::from_value(value, conversion).map(Into::into)
    }
}

impl FromValue for bool {
    fn kind() -> Kind {
        Kind::Bool
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        match &value {
            Value::Bool(value) => Ok(*value),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "t" | "true" => Ok(true),
                "f" | "false" | "" => Ok(false),
                _ => Err(error(FieldErrorKind::NotBool { shown: shown(&value, secret) })),
            },
            _ => Err(wrong_kind(&Self::kind(), &value)),
        }
    }
}

/// All integers of fields fit, but for those of the size of a pointer there is no `From` that says so.
fn wide(number: impl TryInto<i128>) -> i128 {
    number.try_into().unwrap_or_default()
}

macro_rules! integers {
    ($($ty:ty),*) => {$(
        impl FromValue for $ty {
            fn kind() -> Kind {
                Kind::Int { min: wide(<$ty>::MIN), max: wide(<$ty>::MAX) }
            }

            fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
                let number = integer(&Self::kind(), value, *conversion)?;
                <$ty>::try_from(number.value).map_err(|_| {
                    error(FieldErrorKind::OutOfRange {
                        shown: number.shown,
                        range: format!("at least {} and at most {}", <$ty>::MIN, <$ty>::MAX),
                    })
                })
            }
        }
    )*};
}

integers!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! not_zero {
    ($($ty:ty),*) => {$(
        impl FromValue for NonZero<$ty> {
            fn kind() -> Kind {
                Kind::Int { min: wide(Self::MIN.get()), max: wide(Self::MAX.get()) }
            }

            fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
                let range = || match <$ty>::MIN {
                    0 => format!("at least {} and at most {}", Self::MIN, Self::MAX),
                    _ => format!("at least {} and at most {}, and not zero", Self::MIN, Self::MAX),
                };
                let number = integer(&Self::kind(), value, *conversion)?;
                let converted = <$ty>::try_from(number.value).ok().and_then(Self::new);
                converted.ok_or_else(|| error(FieldErrorKind::OutOfRange { shown: number.shown, range: range() }))
            }
        }
    )*};
}

not_zero!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

struct Integer {
    value: i128,
    shown: String,
}

fn integer(expected: &Kind, value: Value, conversion: Conversion) -> Result<Integer, Vec<FieldError>> {
    let (value, secret) = reveal(value);
    let shown = shown(&value, secret);
    match &value {
        Value::Int(number) => Ok(Integer { value: i128::from(*number), shown }),
        // 1e3 and 2.0 are whole numbers, however they are written.
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked by the guard")]
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e18 => {
            Ok(Integer { value: *number as i128, shown })
        }
        Value::String(text) => match i128::from_str_radix(text.trim(), conversion.base) {
            Ok(value) => Ok(Integer { value, shown }),
            Err(_) => Err(error(FieldErrorKind::NotNumber {
                shown,
                expected: expected.to_string(),
                base: conversion.base,
            })),
        },
        _ => Err(wrong_kind(expected, &value)),
    }
}

impl FromValue for f64 {
    fn kind() -> Kind {
        Kind::Float
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        match &value {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a whole number given for a float is meant as one"
            )]
            Value::Int(number) => Ok(*number as Self),
            Value::Float(number) => Ok(*number),
            Value::String(text) => match text.trim().parse::<Self>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(error(FieldErrorKind::NotNumber {
                    shown: shown(&value, secret),
                    expected: Self::kind().to_string(),
                    base: 10,
                })),
            },
            _ => Err(wrong_kind(&Self::kind(), &value)),
        }
    }
}

impl FromValue for f32 {
    fn kind() -> Kind {
        Kind::Float
    }

    #[expect(clippy::cast_possible_truncation, reason = "the author chose the smaller type")]
    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let text = shown(&value, false);
        let number = f64::from_value(value, conversion)? as Self;
        if number.is_finite() {
            return Ok(number);
        }
        let range = format!("at least {:e} and at most {:e}", Self::MIN, Self::MAX);
        Err(error(FieldErrorKind::OutOfRange { shown: text, range }))
    }
}

impl FromValue for Duration {
    fn kind() -> Kind {
        Kind::Duration
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        let parsed = match &value {
            Value::Int(seconds) => u64::try_from(*seconds).ok().map(Self::from_secs),
            Value::String(text) => parse_duration(text.trim()),
            _ => return Err(wrong_kind(&Self::kind(), &value)),
        };
        parsed.ok_or_else(|| error(FieldErrorKind::NotDuration { shown: shown(&value, secret) }))
    }
}

/// A point in time. A plain date is midnight UTC of that day.
#[cfg(feature = "jiff")]
impl FromValue for jiff::Timestamp {
    fn kind() -> Kind {
        Kind::Time
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        let Value::String(text) = &value else { return Err(wrong_kind(&Self::kind(), &value)) };
        let text = text.trim();
        // The parser of dates takes a time too, and leaves it out: without an offset it is no moment.
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'));
        let date = || plain.then(|| text.parse::<jiff::civil::Date>().ok())?;
        text.parse::<Self>()
            .ok()
            .or_else(|| date()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|midnight| midnight.timestamp()))
            .ok_or_else(|| error(FieldErrorKind::NotTime { shown: shown(&value, secret) }))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

    fn kind() -> Kind {
        T::kind()
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        match value {
            Value::Null => Ok(None),
            Value::Secret(secret) if **secret.expose() == Value::Null => Ok(None),
            value => T::from_value(value, conversion).map(Some),
        }
    }
}

impl<T: FromValue> FromValue for Box<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

    fn kind() -> Kind {
        T::kind()
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        T::from_value(value, conversion).map(Self::new)
    }
}

impl<T: FromValue> FromValue for Secret<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

    fn kind() -> Kind {
        T::kind()
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        // Marked first, so that a message about it cannot show it.
        T::from_value(value.into_secret(), conversion).map(Self::new)
    }
}
