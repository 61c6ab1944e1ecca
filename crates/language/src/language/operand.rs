//! Values during the evaluation of an expression.

use std::ops::Deref;
use std::rc::Rc;

use super::budget::{OutOfSteps, StepBudget};
use crate::types::value::{Unknown, Value};

/// A value that is copied only when an owned one is needed.
///
/// Constants belong to the tree, and names and variables are used repeatedly.
#[derive(Debug)]
pub(crate) enum Operand<'a> {
    Owned(Value),
    Borrowed(&'a Value),
    Shared(Rc<Value>),
}

impl Deref for Operand<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Owned(value) => value,
            Self::Borrowed(value) => value,
            Self::Shared(value) => value,
        }
    }
}

impl From<Value> for Operand<'_> {
    fn from(value: Value) -> Self {
        Self::Owned(value)
    }
}

impl Operand<'_> {
    /// Returns the owned value; a copy, if one is needed, is counted.
    pub(super) fn into_owned(self, budget: &StepBudget<'_>) -> Result<Value, OutOfSteps> {
        match self {
            Self::Owned(value) => Ok(value),
            Self::Borrowed(value) => copy(value, budget),
            Self::Shared(value) => match Rc::try_unwrap(value) {
                Ok(value) => Ok(value),
                Err(value) => copy(&value, budget),
            },
        }
    }
}

/// Copies a value and counts the copy.
pub(super) fn copy(value: &Value, budget: &StepBudget<'_>) -> Result<Value, OutOfSteps> {
    budget.spend_value(value)?;
    Ok(value.clone())
}

/// A value that decides something: unknown, or known and possibly secret. Items are not inspected.
pub(super) enum Forced<T> {
    Unknown(Unknown),
    Known(T, Secrecy),
}

/// Whether a result was computed from a secret.
pub(super) type Secrecy = bool;

/// Removes the secret mark from the outermost value, and separates unknown from known values.
pub(super) fn force<'a>(
    operand: Operand<'a>,
    budget: &StepBudget<'_>,
) -> Result<Forced<Operand<'a>>, OutOfSteps> {
    let (value, secret) = match &*operand {
        Value::Secret(_) => match operand.into_owned(budget)? {
            Value::Secret(inner) => (Operand::Owned(reveal_top(*inner.into_exposed())), true),
            other => (Operand::Owned(other), true),
        },
        _ => (operand, false),
    };
    Ok(match &*value {
        Value::Unknown(unknown) => Forced::Unknown(unknown.clone()),
        _ => Forced::Known(value, secret),
    })
}

fn reveal_top(mut value: Value) -> Value {
    while let Value::Secret(inner) = value {
        value = *inner.into_exposed();
    }
    value
}

/// Returns the value without secret marks at any depth.
pub(super) fn reveal(value: Value) -> Value {
    match value {
        Value::Secret(inner) => reveal(*inner.into_exposed()),
        Value::List(items) => Value::List(items.into_iter().map(reveal).collect()),
        Value::Map(items) => Value::Map(items.into_iter().map(|(name, item)| (name, reveal(item))).collect()),
        value => value,
    }
}

/// Marks the value as secret if `secret` is true.
///
/// An unknown value hides nothing yet; it is marked once it is known.
pub(super) fn marked(value: Value, secret: bool) -> Value {
    match value {
        value @ Value::Unknown(_) => value,
        value if secret => value.into_secret(),
        value => value,
    }
}
