//! Values of the module language, and what can be wrong with one.

mod conversions;
mod duration;
mod error;
mod hash;
#[cfg(feature = "serde")]
mod json;
mod map;
mod secret;
mod text;
mod value_secrets;

use std::fmt;
use std::sync::Arc;

pub use conversions::NotUtf8;
pub use duration::parse_duration;
pub use error::{FieldError, FieldErrorKind, PathSegment, ValuePath};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use json::{Part, Reading};
pub use map::ValueMap;
pub use secret::{REDACTED, Secret};
pub use text::Text;

/// What is printed in the place of a value that is not known yet.
#[doc(hidden)]
pub const KNOWN_AFTER_APPLY: &str = "(known after apply)";

/// A value of the module language.
///
/// Beside the known values there are two states that spread through templates and conversions: a value
/// that is [`Unknown`](Value::Unknown) until something has been applied, and one that is
/// [`Secret`](Value::Secret).
#[derive(Clone, PartialEq, Default)]
pub enum Value {
    /// No value.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    String(Arc<str>),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name, in the order in which they were written.
    Map(ValueMap<Value>),
    /// Not known until the named thing has been applied.
    Unknown(Unknown),
    /// Known, but never shown.
    Secret(Secret<Box<Value>>),
}

/// Why a value is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unknown {
    /// What the value waits for, as the module names it: `task.query.host.status.stdout`.
    pub waits_for: Arc<str>,
}

/// The kind of a [`Value`], for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Null.
    Null,
    /// Bool.
    Bool,
    /// Whole number.
    Int,
    /// Number with a fraction.
    Float,
    /// Text.
    String,
    /// List.
    List,
    /// Map.
    Map,
    /// Unknown until apply.
    Unknown,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a bool",
            Self::Int => "an integer",
            Self::Float => "a number with a fraction",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Unknown => "a value that is not known yet",
        })
    }
}

/// What a field says about how its value is read.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// Radix of integers that are given as text: 10 unless the field has `base`.
    pub base: u32,
}

impl Default for Conversion {
    fn default() -> Self {
        Self { base: 10 }
    }
}

impl Conversion {
    /// Reads integers given as text in `base` (2 to 36; anything else counts as 10).
    pub fn with_base(base: u32) -> Self {
        Self { base: if (2..=36).contains(&base) { base } else { 10 } }
    }
}

impl Value {
    /// Text.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// A value that is not known until `waits_for` has been applied.
    pub fn unknown(waits_for: impl Into<Arc<str>>) -> Self {
        Self::Unknown(Unknown { waits_for: waits_for.into() })
    }

    /// The same value, marked as secret. Marking twice changes nothing.
    pub fn into_secret(self) -> Self {
        match self {
            Self::Secret(_) => self,
            value => Self::Secret(Secret::new(Box::new(value))),
        }
    }

    /// The kind, seen through a secret.
    pub fn kind(&self) -> ValueKind {
        match self {
            Self::Null => ValueKind::Null,
            Self::Bool(_) => ValueKind::Bool,
            Self::Int(_) => ValueKind::Int,
            Self::Float(_) => ValueKind::Float,
            Self::String(_) => ValueKind::String,
            Self::List(_) => ValueKind::List,
            Self::Map(_) => ValueKind::Map,
            Self::Unknown(_) => ValueKind::Unknown,
            Self::Secret(secret) => secret.expose().kind(),
        }
    }

    /// The text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The first unknown inside this value, however deep.
    pub fn find_unknown(&self) -> Option<&Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown),
            Self::List(items) => items.iter().find_map(Self::find_unknown),
            Self::Map(items) => items.values().find_map(Self::find_unknown),
            Self::Secret(secret) => secret.expose().find_unknown(),
            _ => None,
        }
    }

    /// Whether this value is a secret or holds one.
    pub fn contains_secret(&self) -> bool {
        match self {
            Self::Secret(_) => true,
            Self::List(items) => items.iter().any(Self::contains_secret),
            Self::Map(items) => items.values().any(Self::contains_secret),
            _ => false,
        }
    }

    /// Go's zero value of the same kind: empty text, list or map, `0`, `false` and null.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Float(value) => *value == 0.0,
            Self::String(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Map(items) => items.is_empty(),
            Self::Unknown(_) => false,
            Self::Secret(secret) => secret.expose().is_zero(),
        }
    }
}

/// Shows the value as a module would write it; a secret shows as `(sensitive)`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value}"),
            Self::String(text) => write!(f, "{text:?}"),
            Self::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Self::Map(items) => {
                f.write_str("{")?;
                for (index, (name, item)) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{name} = {item}")?;
                }
                f.write_str("}")
            }
            Self::Unknown(_) => f.write_str(KNOWN_AFTER_APPLY),
            Self::Secret(_) => f.write_str(REDACTED),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(unknown) => write!(f, "Unknown({})", unknown.waits_for),
            _ => fmt::Display::fmt(self, f),
        }
    }
}

/// Serialises as plain data; an unknown or secret value becomes the text that people would see.
#[cfg(feature = "serde")]
impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(items) => serializer.collect_seq(items),
            Self::Map(items) => serializer.collect_map(items),
            Self::Unknown(_) | Self::Secret(_) => serializer.collect_str(self),
        }
    }
}
