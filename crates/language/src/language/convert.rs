//! Conversions and comparisons of values, following HCL.
//!
//! There is one kind of number. Text is converted to numbers and bools where these are needed. Equality
//! compares kind and value.

use std::cmp::Ordering;
use std::sync::Arc;

use super::actual_value::Actual;
use crate::types::value::Value;

/// A number, kept as an integer where possible.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Int(i64),
    /// A finite float that has a fraction or is too large for `i64`.
    Float(f64),
}

/// The magnitude from which floats no longer represent every integer (2 to the 53).
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// Converts a float; returns `None` for NaN and infinities.
    #[expect(clippy::cast_possible_truncation, reason = "in the range in which floats are exact")]
    pub(super) fn from_float(value: f64) -> Option<Self> {
        if !value.is_finite() {
            None
        } else if value.fract() == 0.0 && value.abs() <= EXACT {
            Some(Self::Int(value as i64))
        } else {
            Some(Self::Float(value))
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is wanted")]
    pub(super) fn to_float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Compares by exact value.
    #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
    pub(super) fn compare(self, other: Self) -> Ordering {
        /// 2 to the 63.
        const END: f64 = 9_223_372_036_854_775_808.0;
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(&right),
            (Self::Float(left), Self::Float(right)) => left.total_cmp(&right),
            (Self::Float(_), Self::Int(_)) => other.compare(self).reverse(),
            (Self::Int(left), Self::Float(right)) => {
                if right >= END {
                    Ordering::Less
                } else if right < -END {
                    Ordering::Greater
                } else {
                    let ordering = left.cmp(&(right.trunc() as i64));
                    ordering.then(if right.fract() > 0.0 {
                        Ordering::Less
                    } else if right.fract() < 0.0 {
                        Ordering::Greater
                    } else {
                        Ordering::Equal
                    })
                }
            }
        }
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(value) => Self::Int(value),
            Number::Float(value) => Self::Float(value),
        }
    }
}

/// Converts a value to a number; text must be a decimal number.
pub(super) fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Int(value) => Some(Number::Int(*value)),
        Value::Float(value) => Number::from_float(*value),
        Value::String(text) => parse_number(text),
        _ => None,
    }
}

/// Parses a decimal number such as `-1`, `2.5` or `1e3`, without spaces or other bases.
///
/// Returns `None` for an integer that `i64` cannot hold, because rounding would change its value.
pub(super) fn parse_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let allowed = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+');
    if !digits.as_bytes().first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.')
        || !digits.bytes().all(allowed)
    {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Number::Int);
    }
    text.parse().ok().and_then(Number::from_float)
}

/// Converts a value to a bool; text must be `true`, `false`, `1` or `0`.
pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) => match &**text {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// Converts a number or a bool to text, and returns text unchanged.
pub(super) fn text(value: &Value) -> Option<Arc<str>> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(if *value { "true" } else { "false" }.into()),
        Value::Int(value) => Some(int_text(*value)),
        Value::Float(_) => Some(number(value).map(number_text)?.into()),
        _ => None,
    }
}

/// Formats an integer in a stack buffer, without a temporary allocation.
fn int_text(value: i64) -> Arc<str> {
    // The buffer holds the most digits of an `i64` and a sign.
    let mut digits = [b'0'; 20];
    let mut offset = digits.len();
    let mut rest = value.unsigned_abs();
    for (place, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        offset = place;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        offset -= 1;
        digits[offset] = b'-';
    }
    std::str::from_utf8(&digits[offset..]).unwrap_or_default().into()
}

/// Formats a number without an exponent, in the fewest digits that parse back to the same number.
pub(super) fn number_text(number: Number) -> String {
    match number {
        Number::Int(value) => value.to_string(),
        Number::Float(value) => value.to_string(),
    }
}

/// Formats a float for JSON and YAML, whose readers take digits alone for an integer.
///
/// A float beyond the integers of 64 bits has an exponent in the form of YAML 1.1 and 1.2: `1.0e+20`.
pub(super) fn float_in_document(value: f64) -> String {
    let Some(number) = Number::from_float(value) else { return "null".to_owned() };
    let text = number_text(number);
    let is_integer = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    if !is_integer || text.parse::<i64>().is_ok() {
        return text;
    }
    let text = format!("{value:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    format!("{mantissa}{point}e+{exponent}")
}

/// Returns whether two values have the same kind and value; numbers compare by value.
pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            matches!((number(left), number(right)), (Some(left), Some(right)) if left.compare(right).is_eq())
        }
        (Value::List(left), Value::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Map(left), Value::Map(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| equal(left, right)))
        }
        _ => left == right,
    }
}

/// Compares two values by kind, then by value; the order is consistent with [`equal`].
pub(super) fn compare(left: &Value, right: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::String(_) => 3,
        Value::List(_) => 4,
        Value::Map(_) => 5,
        Value::Unknown(_) | Value::Secret(_) => 6,
    };
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::List(left), Value::List(right)) => {
            let first = left.iter().zip(right).map(|(left, right)| compare(left, right));
            first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Map(left), Value::Map(right)) => {
            let (left, right) = (sorted(left), sorted(right));
            let first = left
                .iter()
                .zip(&right)
                .map(|((a, left), (b, right))| a.cmp(b).then_with(|| compare(left, right)));
            first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => match (number(left), number(right)) {
            (Some(a), Some(b)) if rank(left) == 2 && rank(right) == 2 => a.compare(b),
            _ => rank(left).cmp(&rank(right)),
        },
    }
}

/// Returns the entries of a map in key order, the order of every traversal of maps.
pub(super) fn sorted(items: &indexmap::IndexMap<String, Value>) -> Vec<(&String, &Value)> {
    let mut items: Vec<_> = items.iter().collect();
    items.sort_unstable_by(|left, right| left.0.cmp(right.0));
    items
}

/// Describes a value for an error message: text by its content, anything else by its kind.
pub(super) fn actual(value: &Value) -> Actual {
    /// The maximum number of characters shown of a text.
    const SHOWN: usize = 60;
    match value {
        Value::String(text) if text.chars().count() > SHOWN => {
            let cut: String = text.chars().take(SHOWN).collect();
            Actual::Text(format!("{cut}.."))
        }
        Value::String(text) => Actual::Text(text.to_string()),
        value => Actual::Kind(value.kind()),
    }
}
