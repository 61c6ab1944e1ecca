//! Values of the module language, and errors about them.

mod conversions;
mod duration;
mod error;
mod hash;
#[cfg(feature = "hcl")]
mod hcl_value;
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
#[cfg(feature = "hcl")]
pub use hcl_value::{HclValueError, HclValueProblem};
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use json::{Part, Reading, json_number_beyond_64_bits};
pub use map::ValueMap;
pub use secret::{REDACTED, Secret};
pub use text::Text;

/// The text shown for a value that is not known yet.
#[doc(hidden)]
pub const KNOWN_AFTER_APPLY: &str = "(known after apply)";

/// A value of the module language.
///
/// In addition to plain values, two states spread through templates and conversions. An
/// [`Unknown`](Value::Unknown) value is not known until something has been applied. A
/// [`Secret`](Value::Secret) value is known but never shown.
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
    /// A value that is unknown until the named resource has been applied.
    Unknown(Unknown),
    /// A known value that is never shown.
    Secret(Secret<Box<Value>>),
}

/// The cause of an unknown value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unknown {
    /// The name of the value that must be known first, as in modules: `task.query.host.status.stdout`.
    pub waits_for: Arc<str>,
}

/// The kind of a [`Value`], for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Null.
    Null,
    /// Boolean.
    Bool,
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// Text.
    String,
    /// A list.
    List,
    /// A map.
    Map,
    /// A value that is unknown until an apply.
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

/// The options of a field for reading its value.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The radix of integers written as text: 10 unless the field has `base`.
    pub base: u32,
}

impl Default for Conversion {
    fn default() -> Self {
        Self { base: 10 }
    }
}

impl Conversion {
    /// Sets the radix of integers written as text, from 2 to 36; any other base counts as 10.
    pub fn with_base(base: u32) -> Self {
        Self { base: if (2..=36).contains(&base) { base } else { 10 } }
    }
}

impl Value {
    /// Creates a text value.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// Creates a value that is unknown until `waits_for` has been applied.
    pub fn unknown(waits_for: impl Into<Arc<str>>) -> Self {
        Self::Unknown(Unknown { waits_for: waits_for.into() })
    }

    /// Returns the value marked as secret. Marking twice changes nothing.
    pub fn into_secret(self) -> Self {
        match self {
            Self::Secret(_) => self,
            value => Self::Secret(Secret::new(Box::new(value))),
        }
    }

    /// Returns the kind of the value; for a secret, the kind of its content.
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

    /// Returns the text of a string value.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the first unknown value inside this one, at any depth.
    pub fn find_unknown(&self) -> Option<&Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown),
            Self::List(items) => items.iter().find_map(Self::find_unknown),
            Self::Map(items) => items.values().find_map(Self::find_unknown),
            Self::Secret(secret) => secret.expose().find_unknown(),
            _ => None,
        }
    }

    /// Whether the value is a secret or contains one.
    pub fn contains_secret(&self) -> bool {
        match self {
            Self::Secret(_) => true,
            Self::List(items) => items.iter().any(Self::contains_secret),
            Self::Map(items) => items.values().any(Self::contains_secret),
            _ => false,
        }
    }

    /// Whether the value is Go's zero value of its kind: empty text, list or map, `0`, `false` or null.
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

/// Writes the value as in a module; a secret is written as `(sensitive)`.
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

/// Serializes plain data; an unknown or secret value becomes the text that people would see.
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
