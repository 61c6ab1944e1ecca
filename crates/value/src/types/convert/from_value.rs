//! Conversion of values of the module language to Rust types.

use std::num::NonZero;
use std::time::Duration;

use crate::types::schema::{Field, Kind};
use crate::types::value::{
    Conversion, FieldError, FieldErrorKind, REDACTED, Secret, Value, ValuePath, parse_duration,
};

/// A type that a field of a resource can have.
///
/// Implemented for strings, characters, booleans, integers (also nonzero ones), floats, durations, times,
/// paths, network addresses, lists and sets. Maps from any type that [`FromStr`](std::str::FromStr) reads,
/// `Option`, [`Secret`] and [`Value`] implement it too. `#[derive(HclBlock)]`, `#[derive(HclEnum)]` and
/// `#[derive(HclText)]` implement it for custom structs, words and parsed text.
///
/// # Errors
///
/// A value that does not fit returns every reason, each with the path to the value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the type of a resource's field",
    label = "not a type that a module can give a value for",
    note = "derive `HclBlock` for a struct of fields, `HclEnum` for a choice of words or `HclText` for what `FromStr` reads, write \
            `Parsed<{Self}>` for a type of another crate that `FromStr` reads, or implement `FromValue`"
)]
pub trait FromValue: Sized {
    /// The nesting depth of blocks in the type.
    ///
    /// Blocks that contain each other have no finite description and no finite depth. The compiler then
    /// reports an error that names this constant.
    #[doc(hidden)]
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = 0;

    /// The words of a type from `#[derive(HclEnum)]`, for checks at compile time. Empty for any other type.
    #[doc(hidden)]
    const WORDS: &'static [&'static str] = &[];

    /// Returns the kind of values that the type takes, for messages and documentation.
    fn kind() -> Kind;

    /// Converts a value, which is never unknown: the engine prepares no resource from unknown values.
    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>>;

    /// Returns the rule for text of this type from `#[derive(HclText)]`, for the description of a field.
    #[doc(hidden)]
    fn text_rule() -> Option<TextRule> {
        None
    }
}

/// A regular expression that text must match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRule {
    /// The regular expression.
    pub pattern: &'static str,
    /// The meaning of the regular expression in words.
    pub expects: Option<&'static str>,
}

impl Field {
    /// Creates a field without rules. The derives add the rules of the attributes.
    pub fn new<T: FromValue>(name: &'static str, doc: &'static str) -> Self {
        Self::with_check(name, doc, T::kind(), |value, conversion| T::from_value(value, conversion).map(drop))
    }
}

/// Refuses at compile time a word that none of `words` is, unless there are none.
#[doc(hidden)]
#[track_caller]
pub const fn check_word(words: &[&str], word: &str, message: &str) {
    let mut index = 0;
    while index < words.len() {
        if is_same(words[index].as_bytes(), word.as_bytes()) {
            return;
        }
        index += 1;
    }
    assert!(words.is_empty(), "{}", message);
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

pub(super) fn error(kind: FieldErrorKind) -> Vec<FieldError> {
    vec![FieldError { path: ValuePath::default(), kind }]
}

/// Returns the error for a value of the wrong kind, which names the kind even for a secret.
#[doc(hidden)]
pub fn wrong_kind(expected: &Kind, value: &Value) -> Vec<FieldError> {
    error(match value {
        Value::Unknown(unknown) => FieldErrorKind::NotKnown { waits_for: unknown.waits_for.to_string() },
        _ => FieldErrorKind::WrongKind { expected: expected.to_string(), found: value.kind() },
    })
}

/// Removes the secret wrapper and returns whether there was one, so that messages can hide the value.
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
            // Numbers and booleans are accepted as text, as in the original Converge: `tag = 3`.
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

/// Converts an integer to `i128`, also for pointer-sized integers, which have no `From` for it.
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
    let display = shown(&value, secret);
    match &value {
        Value::Int(number) => Ok(Integer { value: i128::from(*number), shown: display }),
        // The numbers 1e3 and 2.0 are whole, whatever their notation.
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked by the guard")]
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e18 => {
            Ok(Integer { value: *number as i128, shown: display })
        }
        Value::String(text) => match i128::from_str_radix(text.trim(), conversion.base) {
            Ok(value) => Ok(Integer { value, shown: display }),
            Err(_) => Err(error(FieldErrorKind::NotNumber {
                shown: display,
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

/// Converts a point in time. A plain date means midnight UTC of that day.
#[cfg(feature = "jiff")]
impl FromValue for jiff::Timestamp {
    fn kind() -> Kind {
        Kind::Time
    }

    fn from_value(value: Value, _: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        let Value::String(text) = &value else { return Err(wrong_kind(&Self::kind(), &value)) };
        let text = text.trim();
        // The date parser accepts and ignores a time, but a time without an offset is not a point in time.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'+'));
        let date = || is_plain.then(|| text.parse::<jiff::civil::Date>().ok())?;
        text.parse::<Self>()
            .ok()
            .or_else(|| date()?.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|midnight| midnight.timestamp()))
            .ok_or_else(|| error(FieldErrorKind::NotTime { shown: shown(&value, secret) }))
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;
    const WORDS: &'static [&'static str] = T::WORDS;

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
    const WORDS: &'static [&'static str] = T::WORDS;

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
    const WORDS: &'static [&'static str] = T::WORDS;

    fn kind() -> Kind {
        T::kind()
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        // The value is marked secret first, so that errors cannot show it.
        T::from_value(value.into_secret(), conversion).map(Self::new)
    }
}
