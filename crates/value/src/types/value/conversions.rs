//! Conversion of Rust values to values of the module language.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;

use super::{Secret, Value, ValueMap};
use crate::debug_as_text;

macro_rules! from {
    ($($ty:ty => |$value:ident| $convert:expr;)*) => {$(
        impl From<$ty> for Value {
            fn from($value: $ty) -> Self {
                $convert
            }
        }
    )*};
}

from! {
    &str => |text| Self::String(text.into());
    &String => |text| Self::String(text.as_str().into());
    String => |text| Self::String(text.into());
    Arc<str> => |text| Self::String(text);
    Cow<'_, str> => |text| Self::String(text.into());
    bool => |value| Self::Bool(value);
    i8 => |value| Self::Int(value.into());
    i16 => |value| Self::Int(value.into());
    i32 => |value| Self::Int(value.into());
    i64 => |value| Self::Int(value);
    isize => |value| i64::try_from(value).map_or_else(|_| Self::string(value.to_string()), Self::Int);
    u8 => |value| Self::Int(value.into());
    u16 => |value| Self::Int(value.into());
    u32 => |value| Self::Int(value.into());
    // A number beyond `i64` cannot be held exactly, so it becomes text, as in exports.
    u64 => |value| i64::try_from(value).map_or_else(|_| Self::string(value.to_string()), Self::Int);
    usize => |value| i64::try_from(value).map_or_else(|_| Self::string(value.to_string()), Self::Int);
    f32 => |value| Self::Float(value.into());
    f64 => |value| Self::Float(value);
}

/// Converts `None` to null, as if `null` was written.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> From<Secret<T>> for Value {
    fn from(secret: Secret<T>) -> Self {
        secret.into_exposed().into().into_secret()
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(items: &[T]) -> Self {
        Self::List(items.iter().cloned().map(Into::into).collect())
    }
}

impl<K: Into<String>, T: Into<Value>, const N: usize> From<[(K, T); N]> for Value {
    fn from(items: [(K, T); N]) -> Self {
        Self::Map(entries(items))
    }
}

impl<K: Into<String>, T: Into<Value>> From<BTreeMap<K, T>> for Value {
    fn from(items: BTreeMap<K, T>) -> Self {
        Self::Map(entries(items))
    }
}

/// Converts a map, sorted by key.
///
/// A hash map has no stable order, and output must not depend on it.
impl<K: Into<String>, T: Into<Value>, S> From<HashMap<K, T, S>> for Value {
    fn from(items: HashMap<K, T, S>) -> Self {
        let mut items = entries(items);
        items.sort_keys();
        Self::Map(items)
    }
}

impl<K: Into<String>, T: Into<Value>, S> From<IndexMap<K, T, S>> for Value {
    fn from(items: IndexMap<K, T, S>) -> Self {
        Self::Map(entries(items))
    }
}

fn entries<K: Into<String>, T: Into<Value>>(items: impl IntoIterator<Item = (K, T)>) -> ValueMap<Value> {
    items.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
}

/// Converts JSON as if it was parsed from its text.
///
/// A whole number beyond `i64` becomes a [`Float`](Value::Float).
#[cfg(feature = "serde")]
impl From<serde_json::Value> for Value {
    #[expect(clippy::cast_precision_loss, reason = "beyond whole numbers there are only rounded ones")]
    fn from(json: serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(value),
            Json::String(text) => Self::String(text.into()),
            Json::Array(items) => Self::List(items.into_iter().map(Into::into).collect()),
            Json::Object(items) => Self::Map(entries(items)),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(value), _) => Self::Int(value),
                (None, Some(value)) => Self::Float(value as f64),
                (None, None) => Self::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
        }
    }
}

/// An error for a path with bytes that are not UTF-8.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not UTF-8, so no value can name it", .path.display())]
pub struct NotUtf8 {
    /// The path.
    pub path: PathBuf,
}

debug_as_text!(NotUtf8);

/// Converts a path to text, or refuses a path that is not UTF-8.
///
/// With its bytes replaced, such a path would name another file.
///
/// ```
/// use std::path::Path;
/// use converge_core::value::Value;
///
/// assert_eq!(Value::try_from(Path::new("/etc/motd"))?, Value::from("/etc/motd"));
/// # Ok::<(), converge_core::value::NotUtf8>(())
/// ```
impl TryFrom<&Path> for Value {
    type Error = NotUtf8;

    fn try_from(path: &Path) -> Result<Self, NotUtf8> {
        path.to_str().map(Self::string).ok_or_else(|| NotUtf8 { path: path.to_path_buf() })
    }
}

impl TryFrom<PathBuf> for Value {
    type Error = NotUtf8;

    fn try_from(path: PathBuf) -> Result<Self, NotUtf8> {
        path.into_os_string().into_string().map(Self::from).map_err(|path| NotUtf8 { path: path.into() })
    }
}
