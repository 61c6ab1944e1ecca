//! Values while an expression is evaluated.

use std::ops::Deref;
use std::rc::Rc;

use super::error::ExpressionErrorKind as Kind;
use super::work::Work;
use crate::value::{Unknown, Value};

/// A value that is copied only when someone needs it for himself: constants belong to the tree, names and
/// variables are used again and again.
#[derive(Debug)]
pub(super) enum Held<'a> {
    Owned(Value),
    Borrowed(&'a Value),
    Shared(Rc<Value>),
}

impl Deref for Held<'_> {
    type Target = Value;

    fn deref(&self) -> &Value {
        match self {
            Self::Owned(value) => value,
            Self::Borrowed(value) => value,
            Self::Shared(value) => value,
        }
    }
}

impl From<Value> for Held<'_> {
    fn from(value: Value) -> Self {
        Self::Owned(value)
    }
}

impl Held<'_> {
    /// The value itself. A copy, where one must be made, is counted.
    pub(super) fn into_owned(self, work: &Work) -> Result<Value, Kind> {
        match self {
            Self::Owned(value) => Ok(value),
            Self::Borrowed(value) => copy(value, work),
            Self::Shared(value) => match Rc::try_unwrap(value) {
                Ok(value) => Ok(value),
                Err(value) => copy(&value, work),
            },
        }
    }
}

/// A copy, which is counted.
pub(super) fn copy(value: &Value, work: &Work) -> Result<Value, Kind> {
    work.spend_value(value)?;
    Ok(value.clone())
}

/// What a value is at its top: not known, or known and perhaps secret. What is in it is not looked at.
pub(super) enum Opened<'a> {
    Unknown(Unknown),
    Known { value: Held<'a>, secret: bool },
}

/// Takes the mark of a secret off.
pub(super) fn open<'a>(held: Held<'a>, work: &Work) -> Result<Opened<'a>, Kind> {
    let (value, secret) = match &*held {
        Value::Secret(_) => match held.into_owned(work)? {
            Value::Secret(inner) => (Held::Owned(reveal_top(*inner.into_exposed())), true),
            other => (Held::Owned(other), true),
        },
        _ => (held, false),
    };
    Ok(match &*value {
        Value::Unknown(unknown) => Opened::Unknown(unknown.clone()),
        _ => Opened::Known { value, secret },
    })
}

fn reveal_top(mut value: Value) -> Value {
    while let Value::Secret(inner) = value {
        value = *inner.into_exposed();
    }
    value
}

/// The value without any marks of secrets in it, however deep.
pub(super) fn reveal(value: Value) -> Value {
    match value {
        Value::Secret(inner) => reveal(*inner.into_exposed()),
        Value::List(items) => Value::List(items.into_iter().map(reveal).collect()),
        Value::Map(items) => Value::Map(items.into_iter().map(|(name, item)| (name, reveal(item))).collect()),
        value => value,
    }
}

/// The value, secret when `secret` says so. What is not known yet has nothing to hide, and is marked when it
/// is known.
pub(super) fn marked(value: Value, secret: bool) -> Value {
    match value {
        value @ Value::Unknown(_) => value,
        value if secret => value.into_secret(),
        value => value,
    }
}
