//! Checks of one value against its field.

use std::borrow::Cow;

use crate::types::convert::FromValue;
use crate::types::schema::{Field, Kind};
use crate::types::value::{
    Conversion, FieldError, FieldErrorKind, PathSegment, REDACTED, Value, ValueKind, ValuePath,
};

/// Converts one value by the full description of its field, including attributes.
///
/// # Errors
///
/// All reasons why the value is refused, with paths that start at the field.
pub fn convert<T: FromValue>(field: &Field, value: Value) -> Result<T, Vec<FieldError>> {
    convert_with(field, value, T::from_value)
}

pub(super) fn convert_with<T>(
    field: &Field,
    value: Value,
    from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
) -> Result<T, Vec<FieldError>> {
    let errors = check_attributes(field, &value);
    refused_by(field, errors, from_value(value, &field.conversion()))
}

/// Checks a value against its field and discards the converted value.
///
/// # Errors
///
/// The same as for [`convert`].
pub fn check(field: &Field, value: &Value) -> Result<(), Vec<FieldError>> {
    if field.is_written(Some(value)) == Some(false) {
        return Ok(());
    }
    refused_by(field, check_attributes(field, value), field.check_conversion(value.clone()))
}

/// Returns the value unless its type or the attributes of its field refuse it.
///
/// Errors of the type take precedence.
fn refused_by<T>(
    field: &Field,
    own: Vec<FieldError>,
    converted: Result<T, Vec<FieldError>>,
) -> Result<T, Vec<FieldError>> {
    let mut errors = match converted {
        Ok(converted) if own.is_empty() => return Ok(converted),
        Ok(_) => own,
        Err(errors) => errors,
    };
    for error in &mut errors {
        narrow_range(field, error);
        error.path.0.insert(0, PathSegment::Name(field.name.into()));
    }
    Err(errors)
}

/// Narrows the range in an error about the type to the bounds of the field.
fn narrow_range(field: &Field, error: &mut FieldError) {
    let (FieldErrorKind::OutOfRange { range, .. }, Kind::Int { min, max }) =
        (&mut error.kind, leaf(&field.kind))
    else {
        return;
    };
    if *range != type_range(min, max) || (field.min.is_none() && field.max.is_none()) {
        return;
    }
    #[expect(clippy::cast_precision_loss, reason = "bounds of attributes are small numbers")]
    let (minimum, maximum) = (
        field
            .min
            .filter(|bound| *bound > *min as f64)
            .map_or_else(|| min.to_string(), |bound| field.bound_text(bound)),
        field
            .max
            .filter(|bound| *bound < *max as f64)
            .map_or_else(|| max.to_string(), |bound| field.bound_text(bound)),
    );
    *range = type_range(&minimum, &maximum);
}

/// Returns the innermost item kind of nested lists and maps, or the kind itself.
fn leaf(kind: &Kind) -> &Kind {
    match kind {
        Kind::List(item) | Kind::OneOrMany(item) | Kind::Map(item) => leaf(item),
        kind => kind,
    }
}

/// Checks a partly unknown value like [`check`], but returns only errors that are certain.
///
/// An error is certain if it holds whatever the unknown part is.
#[doc(hidden)]
pub fn check_known_part(field: &Field, value: &Value) -> Vec<FieldError> {
    if value.find_unknown().is_none() {
        return check(field, value).err().unwrap_or_default();
    }
    let errors = field.check_conversion(value.clone()).err().unwrap_or_default();
    let attribute_errors = check_attributes(field, value);
    let is_sure = |error: &FieldError| match error.kind {
        FieldErrorKind::NotKnown { .. } => false,
        FieldErrorKind::WrongKind { found, .. } => found != ValueKind::Unknown,
        // These errors concern names, which are known.
        FieldErrorKind::UnknownField { .. } | FieldErrorKind::GivenTwice { .. } => true,
        _ => at(value, &error.path.0).is_none_or(|value| value.find_unknown().is_none()),
    };
    let at_field = |error: FieldError| error.within(PathSegment::Name(field.name.into()));
    errors.into_iter().filter(is_sure).chain(attribute_errors).map(at_field).collect()
}

fn at<'a>(value: &'a Value, path: &[PathSegment]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, segment| {
        let value = match value {
            Value::Secret(secret) => secret.expose(),
            value => value,
        };
        match (value, segment) {
            (Value::List(items), PathSegment::Index(index)) => items.get(*index),
            (unknown @ Value::Unknown(_), _) => Some(unknown),
            // A repeatable block that is written once.
            (map @ Value::Map(_), PathSegment::Index(0)) => Some(map),
            (Value::Map(items), PathSegment::Name(name)) => items.get(name),
            _ => None,
        }
    })
}

/// Checks `nonempty` for the whole value, and the other attributes for each item in it.
///
/// Paths start at the value.
fn check_attributes(field: &Field, value: &Value) -> Vec<FieldError> {
    let inner_value = match value {
        Value::Secret(secret) => &**secret.expose(),
        value => value,
    };
    if field.nonempty && *inner_value != Value::Null && is_zero(&field.kind, inner_value, field.conversion())
    {
        let kind = FieldErrorKind::Empty { field: field.name.to_owned() };
        return vec![FieldError { path: ValuePath::default(), kind }];
    }
    let mut errors = Vec::new();
    if !field.valid_values.is_empty() || field.pattern.is_some() || field.min.is_some() || field.max.is_some()
    {
        check_items(field, &field.kind, value, field.sensitive, &mut errors);
    }
    errors
}

/// Checks the items of a list or map, or the value itself if it is neither.
fn check_items(field: &Field, kind: &Kind, value: &Value, secret: bool, errors: &mut Vec<FieldError>) {
    let (value, secret) = match value {
        Value::Secret(inner) => (&**inner.expose(), true),
        value => (value, secret),
    };
    let mut check_inner = |item: &Kind, value: &Value, segment: PathSegment| {
        let before = errors.len();
        check_items(field, item, value, secret, errors);
        for error in &mut errors[before..] {
            error.path.0.insert(0, segment.clone());
        }
    };
    match (kind, value) {
        // Fields and items that are not written or not known yet are not checked.
        (_, Value::Null | Value::Unknown(_)) => {}
        (Kind::List(item) | Kind::OneOrMany(item), Value::List(items)) => {
            for (index, value) in items.iter().enumerate() {
                check_inner(item, value, PathSegment::Index(index));
            }
        }
        (Kind::OneOrMany(item), value) => check_items(field, item, value, secret, errors),
        (Kind::Map(item), Value::Map(items)) => {
            for (name, value) in items {
                check_inner(item, value, PathSegment::Name(name.to_owned()));
            }
        }
        (Kind::List(_) | Kind::Map(_), _) => {}
        (kind, value) => {
            let refused = check_item(field, kind, value, secret);
            errors.extend(refused.map(|kind| FieldError { path: ValuePath::default(), kind }));
        }
    }
}

/// Checks `valid_values`, `pattern`, `min` and `max` for a value that is neither a list nor a map.
fn check_item(field: &Field, kind: &Kind, value: &Value, secret: bool) -> Option<FieldErrorKind> {
    let conversion = field.conversion();
    let display = || if secret { REDACTED.to_owned() } else { value.to_string() };
    if !field.valid_values.is_empty()
        && !field.valid_values.iter().any(|valid| matches_text(kind, value, valid, conversion))
    {
        let allowed = field.valid_values.iter().map(|valid| (*valid).to_owned()).collect();
        return Some(FieldErrorKind::NotAllowed { shown: display(), allowed });
    }
    if let Some(pattern) = field.pattern
        && let Some(text) = text_of(kind, value)
        && !field.matches_pattern(&text)
    {
        let expects = field.expects.map(str::to_owned);
        return Some(FieldErrorKind::PatternMismatch {
            shown: display(),
            pattern: pattern.to_owned(),
            expects,
        });
    }
    let number = number_of(kind, value, conversion)?;
    let is_below = field.min.is_some_and(|min| number < min);
    let is_above = field.max.is_some_and(|max| number > max);
    (is_below || is_above).then(|| FieldErrorKind::OutOfRange { shown: display(), range: range_text(field) })
}

/// Returns the text of a value; numbers and booleans count as text where text is expected.
fn text_of<'a>(kind: &Kind, value: &'a Value) -> Option<Cow<'a, str>> {
    match (kind, value) {
        (_, Value::String(text)) => Some(Cow::Borrowed(text)),
        (Kind::String, Value::Int(_) | Value::Float(_) | Value::Bool(_)) => {
            Some(Cow::Owned(value.to_string()))
        }
        _ => None,
    }
}

/// Whether a value is the zero of its kind; text that spells the number zero counts.
fn is_zero(kind: &Kind, value: &Value, conversion: Conversion) -> bool {
    value.is_zero() || number_of(kind, value, conversion).is_some_and(|number| number == 0.0)
}

/// Returns the number that a value stands for; for a duration, its seconds.
#[expect(clippy::cast_precision_loss, reason = "bounds are small numbers")]
fn number_of(kind: &Kind, value: &Value, conversion: Conversion) -> Option<f64> {
    match kind {
        Kind::Int { .. } => i64::from_value(value.clone(), &conversion).ok().map(|number| number as f64),
        Kind::Float => f64::from_value(value.clone(), &conversion).ok(),
        Kind::Duration => {
            std::time::Duration::from_value(value.clone(), &conversion).ok().map(|time| time.as_secs_f64())
        }
        _ => None,
    }
}

fn matches_text(kind: &Kind, value: &Value, valid: &str, conversion: Conversion) -> bool {
    if text_of(kind, value).is_some_and(|text| text == valid) {
        return true;
    }
    let number = |value: &Value| number_of(kind, value, conversion);
    match (kind, number(value), number(&Value::string(valid))) {
        (_, Some(given), Some(valid)) => given.to_bits() == valid.to_bits(),
        (Kind::Bool, ..) => {
            bool::from_value(value.clone(), &conversion).is_ok_and(|flag| flag.to_string() == valid)
        }
        _ => false,
    }
}

fn range_text(field: &Field) -> String {
    let text = |bound: Option<f64>| bound.map(|bound| field.bound_text(bound));
    match (text(field.min), text(field.max)) {
        (Some(min), Some(max)) => type_range(&min, &max),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => String::new(),
    }
}

fn type_range(min: &dyn std::fmt::Display, max: &dyn std::fmt::Display) -> String {
    format!("at least {min} and at most {max}")
}
