//! Values while a template runs.

use std::rc::Rc;
use std::sync::Arc;

use crate::system::Platform;
use crate::template::functions::PLATFORM;
use crate::value::{Unknown, Value};

/// A value and whether it is secret. Cloning is cheap, so variables and loops do not copy lists.
#[derive(Clone, Debug)]
pub(in crate::template) struct Datum {
    pub(in crate::template) known: Known,
    pub(in crate::template) secret: bool,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(in crate::template) enum Known {
    /// Go's `nil`: the literal, or a missing key.
    Nil,
    /// A value of the module that is null: empty text, or the zero value of what it is compared with.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    List(Rc<[Datum]>),
    /// Sorted by key, as Go ranges over and prints a map.
    Map(Rc<[(Arc<str>, Datum)]>),
    /// The record that `platform` gives.
    Platform(Rc<[(&'static str, Datum)]>),
    Unknown(Unknown),
}

impl Datum {
    pub(in crate::template) const fn plain(known: Known) -> Self {
        Self { known, secret: false }
    }

    pub(in crate::template) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::plain(Known::Text(text.into()))
    }

    pub(in crate::template) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::plain(Known::List(items.into_iter().collect()))
    }

    /// The same value; secret when `secret` says so.
    pub(in crate::template) fn marked(self, secret: bool) -> Self {
        Self { secret: self.secret || secret, ..self }
    }

    pub(in crate::template) fn from_value(value: Value) -> Self {
        Self::plain(match value {
            Value::Null => Known::Null,
            Value::Bool(value) => Known::Bool(value),
            Value::Int(value) => Known::Int(value),
            Value::Float(value) => Known::Float(value),
            Value::String(text) => Known::Text(text),
            Value::List(items) => Known::List(items.into_iter().map(Self::from_value).collect()),
            Value::Map(items) => {
                let mut items: Vec<(Arc<str>, Self)> =
                    items.into_iter().map(|(name, item)| (name.into(), Self::from_value(item))).collect();
                items.sort_unstable_by(|left, right| left.0.cmp(&right.0));
                Known::Map(items.into())
            }
            Value::Unknown(unknown) => Known::Unknown(unknown),
            Value::Secret(secret) => return Self::from_value(*secret.into_exposed()).marked(true),
        })
    }

    pub(in crate::template) fn from_platform(platform: &Platform) -> Self {
        let Platform { os, name, pretty_name, version, build, linux_distribution, linux_lsb_like } = platform;
        let values = [os, name, pretty_name, version, build, linux_distribution, linux_lsb_like];
        let fields = PLATFORM.into_iter().zip(values);
        Self::plain(Known::Platform(fields.map(|(name, text)| (name, Self::text(text.as_str()))).collect()))
    }

    /// The value for the rest of the program.
    pub(in crate::template) fn into_value(self) -> Value {
        let value = match self.known {
            Known::Nil | Known::Null => Value::Null,
            Known::Bool(value) => Value::Bool(value),
            Known::Int(value) => Value::Int(value),
            Known::Float(value) => Value::Float(value),
            Known::Text(text) => Value::String(text),
            Known::List(items) => Value::List(items.iter().cloned().map(Self::into_value).collect()),
            Known::Map(items) => Value::Map(
                items
                    .iter()
                    .map(|(name, item)| (name.as_ref().to_owned(), item.clone().into_value()))
                    .collect(),
            ),
            Known::Platform(fields) => Value::Map(
                fields.iter().map(|(name, item)| ((*name).to_owned(), item.clone().into_value())).collect(),
            ),
            Known::Unknown(unknown) => return Value::Unknown(unknown),
        };
        if self.secret { value.into_secret() } else { value }
    }

    /// What Go takes for true: everything but zero values.
    pub(in crate::template) fn is_true(&self) -> bool {
        match &self.known {
            Known::Nil | Known::Null => false,
            Known::Bool(value) => *value,
            Known::Int(value) => *value != 0,
            Known::Float(value) => *value != 0.0,
            Known::Text(text) => !text.is_empty(),
            Known::List(items) => !items.is_empty(),
            Known::Map(items) => !items.is_empty(),
            Known::Platform(_) | Known::Unknown(_) => true,
        }
    }

    /// The kind, in the words of messages.
    pub(in crate::template) fn kind_name(&self) -> &'static str {
        match &self.known {
            Known::Nil => "nil",
            Known::Null => "null",
            Known::Bool(_) => "a bool",
            Known::Int(_) => "an integer",
            Known::Float(_) => "a number with a fraction",
            Known::Text(_) => "a string",
            Known::List(_) => "a list",
            Known::Map(_) => "a map",
            Known::Platform(_) => "the platform",
            Known::Unknown(_) => "a value that is not known yet",
        }
    }

    /// The entry of a sorted map.
    pub(in crate::template) fn entry<'a>(items: &'a [(Arc<str>, Self)], name: &str) -> Option<&'a Self> {
        let at = items.binary_search_by(|(key, _)| key.as_ref().cmp(name)).ok()?;
        items.get(at).map(|(_, item)| item)
    }
}
