//! Conversion of Rust types to values of the module language.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use indexmap::{IndexMap, IndexSet};

use crate::types::schema::Shape;
use crate::types::value::{Secret, Value};

/// A type that a task can export.
///
/// Implemented for the same types as [`FromValue`](super::from_value::FromValue). `#[derive(Export)]`
/// implements it for structs, `#[derive(HclEnum)]` for words, and `#[derive(HclText)]` for types with
/// `Display`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be exported",
    label = "no value of the module language stands for this type",
    note = "derive `Export` for a struct of exports, implement `std::fmt::Display` where `HclText` is derived, write `Parsed<{Self}>` for a \
            type of another crate that has it, or implement `ToValue`"
)]
pub trait ToValue {
    /// Returns the shape of the value for lookups: plain data, or a struct with further names.
    fn shape() -> Shape;

    /// Returns the exported value.
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
    u64 => |value| whole(*value);
    isize => |value| whole(*value);
    usize => |value| whole(*value);
    f32 => |value| Value::Float(f64::from(*value));
    f64 => |value| Value::Float(*value);
    Duration => |duration| Value::string(format!("{duration:?}"));
}

#[cfg(feature = "jiff")]
plain! {
    jiff::Timestamp => |time| Value::string(time.to_string());
}

/// Converts a whole number; numbers beyond `i64` become text, which holds them exactly.
fn whole(number: impl TryInto<i64> + Display + Copy) -> Value {
    number.try_into().map_or_else(|_| Value::string(number.to_string()), Value::Int)
}

macro_rules! not_zero {
    ($($ty:ty),*) => {$(
        impl ToValue for NonZero<$ty> {
            fn shape() -> Shape {
                Shape::Plain
            }

            fn to_value(&self) -> Value {
                self.get().to_value()
            }
        }
    )*};
}

not_zero!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

/// Converts a value, which may be a map, so that any further name may exist.
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

macro_rules! sets {
    ($($set:ident($($hasher:ident)?)),*) => {$(
        impl<T: ToValue + Ord $(, $hasher)?> ToValue for $set<T $(, $hasher)?> {
            fn shape() -> Shape {
                Shape::Plain
            }

            fn to_value(&self) -> Value {
                let mut items: Vec<_> = self.iter().collect();
                // Items are sorted as in maps.
                items.sort();
                Value::List(items.into_iter().map(ToValue::to_value).collect())
            }
        }
    )*};
}

sets!(BTreeSet(), HashSet(S));

impl<T: ToValue, S> ToValue for IndexSet<T, S> {
    fn shape() -> Shape {
        Shape::Plain
    }

    fn to_value(&self) -> Value {
        Value::List(self.iter().map(ToValue::to_value).collect())
    }
}

macro_rules! maps {
    ($($map:ident($($hasher:ident)?)),*) => {$(
        impl<K: Display + Ord, T: ToValue $(, $hasher)?> ToValue for $map<K, T $(, $hasher)?> {
            fn shape() -> Shape {
                Shape::Open
            }

            fn to_value(&self) -> Value {
                let mut items: Vec<_> = self.iter().collect();
                // A hash map has no stable order, and output must not depend on it.
                items.sort_by(|a, b| a.0.cmp(b.0));
                Value::Map(items.into_iter().map(|(name, item)| (name.to_string(), item.to_value())).collect())
            }
        }
    )*};
}

maps!(BTreeMap(), HashMap(S));

impl<K: Display, T: ToValue, S> ToValue for IndexMap<K, T, S> {
    fn shape() -> Shape {
        Shape::Open
    }

    fn to_value(&self) -> Value {
        Value::Map(self.iter().map(|(name, item)| (name.to_string(), item.to_value())).collect())
    }
}
