//! Comparison functions `eq ne lt le gt ge`, which compare values of one kind only.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::language::data::datum::{Data, Datum};
use crate::language::error::LanguageErrorKind as Kind;
use crate::language::functions::FunctionError;
use crate::language::functions::template_arguments::{TemplateArgs, TemplateResult, printed};

/// Implements `eq A B..`: whether the first argument equals any of the others.
pub(crate) fn eq(args: &mut TemplateArgs<'_>) -> TemplateResult {
    for index in 1..args.values.len() {
        if equal(args, index)? {
            return Ok(Datum::plain(Data::Bool(true)));
        }
    }
    Ok(Datum::plain(Data::Bool(false)))
}

/// Implements `ne A B`.
pub(crate) fn ne(args: &mut TemplateArgs<'_>) -> TemplateResult {
    Ok(Datum::plain(Data::Bool(!equal(args, 1)?)))
}

/// Implements `lt A B`.
pub(crate) fn lt(args: &mut TemplateArgs<'_>) -> TemplateResult {
    ordered(args, Ordering::is_lt)
}

/// Implements `le A B`.
pub(crate) fn le(args: &mut TemplateArgs<'_>) -> TemplateResult {
    ordered(args, Ordering::is_le)
}

/// Implements `gt A B`.
pub(crate) fn gt(args: &mut TemplateArgs<'_>) -> TemplateResult {
    ordered(args, Ordering::is_gt)
}

/// Implements `ge A B`.
pub(crate) fn ge(args: &mut TemplateArgs<'_>) -> TemplateResult {
    ordered(args, Ordering::is_ge)
}

fn equal(args: &TemplateArgs<'_>, index: usize) -> Result<bool, FunctionError> {
    let (left, right) = (args.get(0), args.get(index));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    Ok(match (left_zero.as_ref().unwrap_or(&left.data), right_zero.as_ref().unwrap_or(&right.data)) {
        // A template may compare a missing key to test for it; a missing key equals nothing.
        (Data::Nil, Data::Nil | Data::Null | Data::Missing(_))
        | (Data::Null, Data::Nil | Data::Null)
        | (Data::Missing(_), Data::Nil) => true,
        (Data::Missing(_), _) => return Err(absent(left)),
        (_, Data::Missing(_)) => return Err(absent(right)),
        (Data::Bool(left), Data::Bool(right)) => left == right,
        (Data::Int(left), Data::Int(right)) => left == right,
        #[expect(clippy::float_cmp, reason = "Go compares floats exactly")]
        (Data::Float(left), Data::Float(right)) => left == right,
        (Data::Int(int), Data::Float(float)) | (Data::Float(float), Data::Int(int)) => {
            int_with_float(*int, *float) == Some(Ordering::Equal)
        }
        (Data::Text(left), Data::Text(right)) => left == right,
        // The original Converge had only text, so its modules compare numbers and bools with their text.
        (Data::Text(text), Data::Bool(_) | Data::Int(_) | Data::Float(_)) => prints_as(right, text)?,
        (Data::Bool(_) | Data::Int(_) | Data::Float(_), Data::Text(text)) => prints_as(left, text)?,
        (Data::Text(text), Data::List(_) | Data::Map(_)) if right.textual => prints_as(right, text)?,
        (Data::List(_) | Data::Map(_), Data::Text(text)) if left.textual => prints_as(left, text)?,
        (Data::List(_) | Data::Map(_) | Data::Platform(_), _)
        | (_, Data::List(_) | Data::Map(_) | Data::Platform(_)) => return Err(incomparable(args, index)),
        (Data::Nil, _) | (_, Data::Nil) => false,
        _ => return Err(incomparable(args, index)),
    })
}

fn prints_as(datum: &Datum, text: &str) -> Result<bool, FunctionError> {
    Ok(printed(datum)?.text == text)
}

/// Returns the error of a missing value.
fn absent(datum: &Datum) -> FunctionError {
    match datum.absence() {
        Some(error) => error.into(),
        None => Kind::invalid("a value is missing").into(),
    }
}

fn ordered(args: &TemplateArgs<'_>, accepts: fn(Ordering) -> bool) -> TemplateResult {
    let (left, right) = (args.get(0), args.get(1));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    let (left_data, right_data) =
        (left_zero.as_ref().unwrap_or(&left.data), right_zero.as_ref().unwrap_or(&right.data));
    let order = match (left_data, right_data) {
        (Data::Text(left), Data::Text(right)) => Some(left.cmp(right)),
        (Data::Null, Data::Null) => Some(Ordering::Equal),
        // A parameter that is a number is compared as a number, even with text that is a number.
        (Data::Text(text), Data::Int(_) | Data::Float(_)) if right.textual => {
            numbers(&number(text).ok_or_else(|| incomparable(args, 1))?, right_data)
        }
        (Data::Int(_) | Data::Float(_), Data::Text(text)) if left.textual => {
            numbers(left_data, &number(text).ok_or_else(|| incomparable(args, 1))?)
        }
        (Data::Int(_) | Data::Float(_), Data::Int(_) | Data::Float(_)) => numbers(left_data, right_data),
        _ => return Err(incomparable(args, 1)),
    };
    Ok(Datum::plain(Data::Bool(order.is_some_and(accepts))))
}

fn number(text: &str) -> Option<Data> {
    let text = text.trim();
    text.parse().map(Data::Int).or_else(|_| text.parse().map(Data::Float)).ok()
}

fn numbers(left: &Data, right: &Data) -> Option<Ordering> {
    match (left, right) {
        (Data::Int(left), Data::Int(right)) => Some(left.cmp(right)),
        (Data::Float(left), Data::Float(right)) => left.partial_cmp(right),
        (Data::Int(left), Data::Float(right)) => int_with_float(*left, *right),
        (Data::Float(left), Data::Int(right)) => int_with_float(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

/// Compares two numbers by value, without rounding the integer.
fn int_with_float(int: i64, float: f64) -> Option<Ordering> {
    /// The smallest float above all `i64` values, 2 to the 63.
    const END: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= END {
        return Some(Ordering::Less);
    }
    if float < -END {
        return Some(Ordering::Greater);
    }
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is in the range")]
    let integer = float.trunc() as i64;
    Some(int.cmp(&integer).then_with(|| 0.0_f64.total_cmp(&(float.fract() + 0.0))))
}

/// Returns the zero value that a null stands for when it is compared with `other`.
fn zero_like(datum: &Datum, other: &Datum) -> Option<Data> {
    if !matches!(datum.data, Data::Null) {
        return None;
    }
    Some(match other.data {
        Data::Bool(_) => Data::Bool(false),
        Data::Int(_) => Data::Int(0),
        Data::Float(_) => Data::Float(0.0),
        Data::Text(_) => Data::Text(Arc::from("")),
        _ => return None,
    })
}

fn incomparable(args: &TemplateArgs<'_>, index: usize) -> FunctionError {
    let (left, right) = (args.get(0).kind_name(), args.get(index).kind_name());
    Kind::invalid(format!("`{}` cannot compare {left} with {right}", args.function)).into()
}
