//! From Rust types to values of the module language.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::types::schema::Shape;
use crate::types::value::{Secret, Value};

/// A type that a task can export.
///
/// Implemented for the same types as [`FromValue`](super::from_value::FromValue); `#[derive(Export)]` implements it
/// for structs, `#[derive(HclEnum)]` for words, `#[derive(HclText)]` for what `Display` writes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be exported",
    label = "no value of the module language stands for this type",
    note = "derive `Export` for a struct of exports, or implement `ToValue`"
)]
pub trait ToValue {
    /// What a lookup of the value gives: plain data, or a struct with further names.
    fn shape() -> Shape;

    /// The value.
    fn to_value(&self) -> Value;
}

macro_rules! plain {
    ($($ty:ty => |$value:ident| $convert:expr;)*) => {$(
        impl ToValue for $ty {
            fn shape() -> Shape {
                Shape::Plain
            }

            fn to_value(&self) -> Value {
                let $value = self;
                $convert
            }
        }
    )*};
}

plain! {
    String => |text| Value::string(text.as_str());
    str => |text| Value::string(text);
    PathBuf => |path| Value::string(path.to_string_lossy().as_ref());
    bool => |value| Value::Bool(*value);
    i8 => |value| Value::Int(i64::from(*value));
    i16 => |value| Value::Int(i64::from(*value));
    i32 => |value| Value::Int(i64::from(*value));
    i64 => |value| Value::Int(*value);
    u8 => |value| Value::Int(i64::from(*value));
    u16 => |value| Value::Int(i64::from(*value));
    u32 => |value| Value::Int(i64::from(*value));
    // Beyond i64 the number cannot be held exactly, so it is given as text.
    u64 => |value| i64::try_from(*value).map_or_else(|_| Value::string(value.to_string()), Value::Int);
    f32 => |value| Value::Float(f64::from(*value));
    f64 => |value| Value::Float(*value);
    Duration => |duration| Value::string(format!("{duration:?}"));
    jiff::Timestamp => |time| Value::string(time.to_string());
}

/// It may be a map, so any further name may exist.
impl ToValue for Value {
    fn shape() -> Shape {
        Shape::Open
    }

    fn to_value(&self) -> Value {
        self.clone()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<T: ToValue + ?Sized> ToValue for $pointer<T> {
            fn shape() -> Shape {
                T::shape()
            }

            fn to_value(&self) -> Value {
                (**self).to_value()
            }
        }
    )*};
}

pointers!(Box, Arc);

impl<T: ToValue> ToValue for Secret<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn to_value(&self) -> Value {
        self.expose().to_value().into_secret()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(ToValue::to_value).collect())
    }
}

macro_rules! maps {
    ($($map:ident($($hasher:ident)?)),*) => {$(
        impl<T: ToValue $(, $hasher)?> ToValue for $map<String, T $(, $hasher)?> {
            fn shape() -> Shape {
                Shape::Open
            }

            fn to_value(&self) -> Value {
                let mut items: Vec<_> = self.iter().collect();
                // A hash map has no order of its own, and output must not depend on it.
                items.sort_by(|a, b| a.0.cmp(b.0));
                Value::Map(items.into_iter().map(|(name, item)| (name.clone(), item.to_value())).collect())
            }
        }
    )*};
}

maps!(BTreeMap(), HashMap(S));

impl<T: ToValue, S> ToValue for IndexMap<String, T, S> {
    fn shape() -> Shape {
        Shape::Open
    }

    fn to_value(&self) -> Value {
        Value::Map(self.iter().map(|(name, item)| (name.clone(), item.to_value())).collect())
    }
}
