//! `eq ne lt le gt ge`, which compare values of one kind only.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::data::datum::{Data, Datum};
use super::super::error::TemplateErrorKind as Kind;
use super::call::{BuiltinArgs, BuiltinError, BuiltinResult};

/// `eq A B..`: whether the first equals any of the others.
pub(crate) fn eq(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    for index in 1..args.values.len() {
        if equal(args, index)? {
            return Ok(Datum::plain(Data::Bool(true)));
        }
    }
    Ok(Datum::plain(Data::Bool(false)))
}

/// `ne A B`
pub(crate) fn ne(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    Ok(Datum::plain(Data::Bool(!equal(args, 1)?)))
}

/// `lt A B`
pub(crate) fn lt(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    ordered(args, Ordering::is_lt)
}

/// `le A B`
pub(crate) fn le(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    ordered(args, Ordering::is_le)
}

/// `gt A B`
pub(crate) fn gt(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    ordered(args, Ordering::is_gt)
}

/// `ge A B`
pub(crate) fn ge(args: &mut BuiltinArgs<'_>) -> BuiltinResult {
    ordered(args, Ordering::is_ge)
}

fn equal(args: &BuiltinArgs<'_>, index: usize) -> Result<bool, BuiltinError> {
    let (left, right) = (args.get(0), args.get(index));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    Ok(match (left_zero.as_ref().unwrap_or(&left.data), right_zero.as_ref().unwrap_or(&right.data)) {
        (Data::Nil | Data::Null, Data::Nil | Data::Null) => true,
        (Data::Bool(left), Data::Bool(right)) => left == right,
        (Data::Int(left), Data::Int(right)) => left == right,
        #[expect(clippy::float_cmp, reason = "Go compares floats exactly")]
        (Data::Float(left), Data::Float(right)) => left == right,
        (Data::Text(left), Data::Text(right)) => left == right,
        (Data::List(_) | Data::Map(_) | Data::Platform(_), _)
        | (_, Data::List(_) | Data::Map(_) | Data::Platform(_)) => return Err(incomparable(args, index)),
        (Data::Nil, _) | (_, Data::Nil) => false,
        _ => return Err(incomparable(args, index)),
    })
}

fn ordered(args: &BuiltinArgs<'_>, accepts: fn(Ordering) -> bool) -> BuiltinResult {
    let (left, right) = (args.get(0), args.get(1));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    let order = match (left_zero.as_ref().unwrap_or(&left.data), right_zero.as_ref().unwrap_or(&right.data)) {
        (Data::Int(left), Data::Int(right)) => Some(left.cmp(right)),
        (Data::Float(left), Data::Float(right)) => left.partial_cmp(right),
        (Data::Text(left), Data::Text(right)) => Some(left.cmp(right)),
        (Data::Null, Data::Null) => Some(Ordering::Equal),
        _ => return Err(incomparable(args, 1)),
    };
    Ok(Datum::plain(Data::Bool(order.is_some_and(accepts))))
}

/// A null of the module stands for the zero value of what it is compared with.
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

fn incomparable(args: &BuiltinArgs<'_>, index: usize) -> BuiltinError {
    let (left, right) = (args.get(0).kind_name(), args.get(index).kind_name());
    Kind::invalid(format!("`{}` cannot compare {left} with {right}", args.function)).into()
}
