//! Values during the run of a template.

use std::rc::Rc;
use std::sync::Arc;

use crate::language::error::LanguageError;
use crate::language::taint::Taint;
use crate::types::platform::Platform;
use crate::types::value::{Unknown, Value};

/// A value and whether it is secret.
///
/// Cloning is cheap, so variables and loops do not copy lists.
#[derive(Clone, Debug)]
pub(crate) struct Datum {
    pub(crate) data: Data,
    pub(crate) secret: bool,
    /// Whether the original Converge had text here, as it did for parameters and exports.
    ///
    /// Where only text is accepted, such a value is used as the text that it prints.
    pub(crate) textual: bool,
}

/// The content of a [`Datum`].
#[derive(Clone, Debug)]
pub(crate) enum Data {
    /// Go's `nil`, the literal.
    Nil,
    /// A key that a map does not have, or the dot of a template that was called without one.
    ///
    /// The value is false in conditions. Any other use gives this error.
    Missing(Rc<LanguageError>),
    /// A null of the module: prints as nothing, and equals the zero value of what it is compared with.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Arc<str>),
    List(Rc<[Datum]>),
    /// A map sorted by key, the order in which Go ranges over and prints a map.
    Map(Rc<[(Arc<str>, Datum)]>),
    /// The record that `platform` returns, in field order. It prints as in the original Converge.
    Platform(Rc<[(&'static str, Datum)]>),
    Unknown(Unknown),
}

impl Taint {
    /// Includes the secrecy and the unknown state of a value.
    pub(crate) fn note(&mut self, datum: &Datum) {
        self.secret |= datum.secret;
        if let Data::Unknown(unknown) = &datum.data {
            self.note_unknown(unknown);
        }
    }
}

impl Datum {
    pub(crate) const fn plain(data: Data) -> Self {
        Self { data, secret: false, textual: false }
    }

    pub(crate) fn text(text: impl Into<Arc<str>>) -> Self {
        Self::plain(Data::Text(text.into()))
    }

    pub(crate) fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::plain(Data::List(items.into_iter().collect()))
    }

    /// Marks the value as secret if `secret` is true.
    pub(crate) fn marked(self, secret: bool) -> Self {
        Self { secret: self.secret || secret, ..self }
    }

    /// Marks the value as text in the original Converge.
    pub(crate) fn textual(self) -> Self {
        Self { textual: true, ..self }
    }

    /// Creates the value of a key that a map does not have.
    pub(crate) fn missing(error: LanguageError) -> Self {
        Self::plain(Data::Missing(Rc::new(error)))
    }

    /// Returns the error if the value is missing.
    pub(crate) fn absence(&self) -> Option<LanguageError> {
        let Data::Missing(error) = &self.data else { return None };
        let LanguageError { kind, range } = LanguageError::clone(error);
        let kind = if self.secret { kind.hidden_argument("index") } else { kind };
        Some(LanguageError { kind, range })
    }

    pub(crate) fn from_value(value: Value) -> Self {
        Self::plain(match value {
            Value::Null => Data::Null,
            Value::Bool(value) => Data::Bool(value),
            Value::Int(value) => Data::Int(value),
            Value::Float(value) => Data::Float(value),
            Value::String(text) => Data::Text(text),
            Value::List(items) => Data::List(items.into_iter().map(Self::from_value).collect()),
            Value::Map(items) => {
                let mut items: Vec<(Arc<str>, Self)> =
                    items.into_iter().map(|(name, item)| (name.into(), Self::from_value(item))).collect();
                items.sort_unstable_by(|left, right| left.0.cmp(&right.0));
                Data::Map(items.into())
            }
            Value::Unknown(unknown) => Data::Unknown(unknown),
            Value::Secret(secret) => return Self::from_value(*secret.into_exposed()).marked(true),
        })
    }

    pub(crate) fn from_platform(platform: &Platform) -> Self {
        let fields = Platform::TEMPLATE_FIELDS.into_iter().enumerate();
        let fields = fields.map(|(place, name)| (name, Self::from_value(platform.value(place))));
        Self::plain(Data::Platform(fields.collect()))
    }

    /// Converts to a value outside of templates.
    pub(crate) fn into_value(self) -> Value {
        let value = match self.data {
            Data::Nil | Data::Null | Data::Missing(_) => Value::Null,
            Data::Bool(value) => Value::Bool(value),
            Data::Int(value) => Value::Int(value),
            Data::Float(value) => Value::Float(value),
            Data::Text(text) => Value::String(text),
            Data::List(items) => Value::List(items.iter().cloned().map(Self::into_value).collect()),
            Data::Map(items) => Value::Map(
                items
                    .iter()
                    .map(|(name, item)| (name.as_ref().to_owned(), item.clone().into_value()))
                    .collect(),
            ),
            Data::Platform(fields) => Value::Map(
                fields.iter().map(|(name, item)| ((*name).to_owned(), item.clone().into_value())).collect(),
            ),
            Data::Unknown(unknown) => return Value::Unknown(unknown),
        };
        if self.secret { value.into_secret() } else { value }
    }

    /// Returns Go's truth value: false for zero values only.
    pub(crate) fn is_true(&self) -> bool {
        match &self.data {
            Data::Nil | Data::Null | Data::Missing(_) => false,
            Data::Bool(value) => *value,
            Data::Int(value) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::Text(text) => !text.is_empty(),
            Data::List(items) => !items.is_empty(),
            Data::Map(items) => !items.is_empty(),
            Data::Platform(_) | Data::Unknown(_) => true,
        }
    }

    /// Returns the kind as error messages name it.
    pub(crate) fn kind_name(&self) -> &'static str {
        match &self.data {
            Data::Nil => "nil",
            Data::Missing(_) => "a value that is missing",
            Data::Null => "null",
            Data::Bool(_) => "a bool",
            Data::Int(_) => "an integer",
            Data::Float(_) => "a number with a fraction",
            Data::Text(_) => "a string",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
            Data::Platform(_) => "the platform",
            Data::Unknown(_) => "a value that is not known yet",
        }
    }

    /// Returns the entry of a sorted map.
    pub(crate) fn entry<'a>(items: &'a [(Arc<str>, Self)], name: &str) -> Option<&'a Self> {
        let index = items.binary_search_by(|(key, _)| key.as_ref().cmp(name)).ok()?;
        items.get(index).map(|(_, item)| item)
    }
}
