//! `eq ne lt le gt ge`, which compare values of one kind only.

use std::cmp::Ordering;
use std::sync::Arc;

use super::call::{Args, Failure, Outcome};
use super::datum::{Datum, Known};
use crate::template::error::TemplateErrorKind as Kind;

/// `eq A B..`: whether the first equals any of the others.
pub(in crate::template) fn eq(args: &mut Args<'_>) -> Outcome {
    for index in 1..args.values.len() {
        if equal(args, index)? {
            return Ok(Datum::plain(Known::Bool(true)));
        }
    }
    Ok(Datum::plain(Known::Bool(false)))
}

/// `ne A B`
pub(in crate::template) fn ne(args: &mut Args<'_>) -> Outcome {
    Ok(Datum::plain(Known::Bool(!equal(args, 1)?)))
}

/// `lt A B`
pub(in crate::template) fn lt(args: &mut Args<'_>) -> Outcome {
    ordered(args, Ordering::is_lt)
}

/// `le A B`
pub(in crate::template) fn le(args: &mut Args<'_>) -> Outcome {
    ordered(args, Ordering::is_le)
}

/// `gt A B`
pub(in crate::template) fn gt(args: &mut Args<'_>) -> Outcome {
    ordered(args, Ordering::is_gt)
}

/// `ge A B`
pub(in crate::template) fn ge(args: &mut Args<'_>) -> Outcome {
    ordered(args, Ordering::is_ge)
}

fn equal(args: &Args<'_>, index: usize) -> Result<bool, Failure> {
    let (left, right) = (args.get(0), args.get(index));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    Ok(match (left_zero.as_ref().unwrap_or(&left.known), right_zero.as_ref().unwrap_or(&right.known)) {
        (Known::Nil | Known::Null, Known::Nil | Known::Null) => true,
        (Known::Bool(left), Known::Bool(right)) => left == right,
        (Known::Int(left), Known::Int(right)) => left == right,
        #[expect(clippy::float_cmp, reason = "Go compares floats exactly")]
        (Known::Float(left), Known::Float(right)) => left == right,
        (Known::Text(left), Known::Text(right)) => left == right,
        (Known::List(_) | Known::Map(_) | Known::Platform(_), _)
        | (_, Known::List(_) | Known::Map(_) | Known::Platform(_)) => return Err(incomparable(args, index)),
        (Known::Nil, _) | (_, Known::Nil) => false,
        _ => return Err(incomparable(args, index)),
    })
}

fn ordered(args: &Args<'_>, accepts: fn(Ordering) -> bool) -> Outcome {
    let (left, right) = (args.get(0), args.get(1));
    let (left_zero, right_zero) = (zero_like(left, right), zero_like(right, left));
    let order = match (left_zero.as_ref().unwrap_or(&left.known), right_zero.as_ref().unwrap_or(&right.known))
    {
        (Known::Int(left), Known::Int(right)) => Some(left.cmp(right)),
        (Known::Float(left), Known::Float(right)) => left.partial_cmp(right),
        (Known::Text(left), Known::Text(right)) => Some(left.cmp(right)),
        (Known::Null, Known::Null) => Some(Ordering::Equal),
        _ => return Err(incomparable(args, 1)),
    };
    Ok(Datum::plain(Known::Bool(order.is_some_and(accepts))))
}

/// A null of the module stands for the zero value of what it is compared with.
fn zero_like(datum: &Datum, other: &Datum) -> Option<Known> {
    if !matches!(datum.known, Known::Null) {
        return None;
    }
    Some(match other.known {
        Known::Bool(_) => Known::Bool(false),
        Known::Int(_) => Known::Int(0),
        Known::Float(_) => Known::Float(0.0),
        Known::Text(_) => Known::Text(Arc::from("")),
        _ => return None,
    })
}

fn incomparable(args: &Args<'_>, index: usize) -> Failure {
    let (left, right) = (args.get(0).kind_name(), args.get(index).kind_name());
    Kind::Incomparable { function: args.function, left, right }.into()
}
