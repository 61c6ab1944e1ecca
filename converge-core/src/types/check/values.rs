//! What a field says about one value.

use crate::types::convert::FromValue;
use crate::types::schema::{Field, Kind};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, PathSegment, REDACTED, Value, ValueKind};

/// Converts one value by everything that its field says, attributes included.
///
/// # Errors
///
/// All reasons for which the value is refused, with paths that begin at the field.
pub fn convert<T: FromValue>(field: &Field, value: Value) -> Result<T, Vec<FieldError>> {
    convert_with(field, value, T::from_value)
}

pub(super) fn convert_with<T>(
    field: &Field,
    value: Value,
    from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
) -> Result<T, Vec<FieldError>> {
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    let own = check_attributes(field, &value);
    let converted = from_value(value, &field.conversion());
    match (own, converted) {
        (None, Ok(converted)) => Ok(converted),
        (_, Err(errors)) => Err(errors.into_iter().map(at_field).collect()),
        (Some(kind), Ok(_)) => Err(vec![FieldError::new(field.name, kind)]),
    }
}

/// Checks a value by what its field says, without keeping the result.
///
/// # Errors
///
/// As [`convert`].
pub fn check(field: &Field, value: &Value) -> Result<(), Vec<FieldError>> {
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    field
        .check_conversion(value.clone())
        .map_err(|errors| errors.into_iter().map(at_field).collect::<Vec<_>>())?;
    match check_attributes(field, value) {
        None => Ok(()),
        Some(kind) => Err(vec![FieldError::new(field.name, kind)]),
    }
}

/// As [`check`] for a value of which a part is not known yet: only what is wrong whatever that part will be.
pub(crate) fn check_known_part(field: &Field, value: &Value) -> Vec<FieldError> {
    if value.find_unknown().is_none() {
        return check(field, value).err().unwrap_or_default();
    }
    let errors = field.check_conversion(value.clone()).err().unwrap_or_default();
    let is_sure = |error: &FieldError| match error.kind {
        FieldErrorKind::NotKnown { .. } => false,
        FieldErrorKind::WrongKind { found, .. } => found != ValueKind::Unknown,
        // These are about names.
        FieldErrorKind::UnknownField { .. } | FieldErrorKind::GivenTwice { .. } => true,
        _ => at(value, &error.path.0).is_none_or(|value| value.find_unknown().is_none()),
    };
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    errors.into_iter().filter(is_sure).map(at_field).collect()
}

/// The value at the end of a path.
fn at<'a>(value: &'a Value, path: &[PathSegment]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, segment| {
        let value = match value {
            Value::Secret(secret) => secret.expose(),
            value => value,
        };
        match (value, segment) {
            (Value::List(items), PathSegment::Index(index)) => items.get(*index),
            (unknown @ Value::Unknown(_), _) => Some(unknown),
            // A block that may be repeated and is written once.
            (map @ Value::Map(_), PathSegment::Index(0)) => Some(map),
            (Value::Map(items), PathSegment::Name(name)) => items.get(name),
            _ => None,
        }
    })
}

/// `nonempty`, `valid_values`, `min`, `max` and `pattern`.
fn check_attributes(field: &Field, value: &Value) -> Option<FieldErrorKind> {
    let (plain, secret) = match value {
        Value::Secret(secret) => (&**secret.expose(), true),
        value => (value, field.sensitive),
    };
    // A field that is not written.
    if *plain == Value::Null {
        return None;
    }
    let shown = || if secret { REDACTED.to_owned() } else { plain.to_string() };
    if field.nonempty && is_zero(field, plain) {
        return Some(FieldErrorKind::Empty { field: field.name.to_owned() });
    }
    if !field.valid_values.is_empty()
        && !field.valid_values.iter().any(|valid| matches_text(field, plain, valid))
    {
        let allowed = field.valid_values.iter().map(|valid| (*valid).to_owned()).collect();
        return Some(FieldErrorKind::NotAllowed { shown: shown(), allowed });
    }
    if let Some(pattern) = field.pattern
        && let Value::String(text) = plain
        && !field.matches_pattern(text)
    {
        let expects = field.expects.map(str::to_owned);
        return Some(FieldErrorKind::PatternMismatch {
            shown: shown(),
            pattern: pattern.to_owned(),
            expects,
        });
    }
    let number = number_of(field, plain)?;
    let below = field.min.is_some_and(|min| number < min);
    let above = field.max.is_some_and(|max| number > max);
    (below || above).then(|| FieldErrorKind::OutOfRange { shown: shown(), range: range_text(field) })
}

/// A text of zeros counts as the number that it stands for.
fn is_zero(field: &Field, value: &Value) -> bool {
    value.is_zero() || number_of(field, value).is_some_and(|number| number == 0.0)
}

/// The number that a value of a number field stands for; seconds for a duration.
#[expect(clippy::cast_precision_loss, reason = "bounds are small numbers")]
fn number_of(field: &Field, value: &Value) -> Option<f64> {
    let conversion = field.conversion();
    match field.kind {
        Kind::Int { .. } => i64::from_value(value.clone(), &conversion).ok().map(|number| number as f64),
        Kind::Float => f64::from_value(value.clone(), &conversion).ok(),
        Kind::Duration => {
            std::time::Duration::from_value(value.clone(), &conversion).ok().map(|time| time.as_secs_f64())
        }
        _ => None,
    }
}

fn matches_text(field: &Field, value: &Value, valid: &str) -> bool {
    match value {
        Value::String(text) if text.as_ref() == valid => true,
        _ => match (number_of(field, value), number_of(field, &Value::string(valid))) {
            (Some(given), Some(valid)) => given.to_bits() == valid.to_bits(),
            _ => matches!(value, Value::Bool(_)) && value.to_string() == valid,
        },
    }
}

fn range_text(field: &Field) -> String {
    match (field.min, field.max) {
        (Some(min), Some(max)) => format!("at least {min} and at most {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }
}
