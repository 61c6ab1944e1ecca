//! Conversion of lists, sets and maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::hash::{BuildHasher, Hash};
use std::str::FromStr;

use indexmap::{IndexMap, IndexSet};

use super::from_value::{FromValue, TextRule, reveal, wrong_kind};
use crate::types::schema::Kind;
use crate::types::value::{Conversion, FieldError, FieldErrorKind, PathSegment, Value, ValuePath};

impl<T: FromValue> FromValue for Vec<T> {
    const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

    fn kind() -> Kind {
        Kind::List(Box::new(T::kind()))
    }

    fn text_rule() -> Option<TextRule> {
        T::text_rule()
    }

    fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
        let (value, secret) = reveal(value);
        match value {
            Value::List(items) => collect(
                items.into_iter().enumerate().map(|(index, item)| (PathSegment::Index(index), item)),
                secret,
                *conversion,
            )
            .map(|items| items.into_iter().map(|(_, item)| item).collect()),
            // A repeatable block that is written once.
            value @ Value::Map(_) if matches!(T::kind(), Kind::Block(_)) => {
                T::from_value(value, conversion).map(|item| vec![item])
            }
            value => Err(wrong_kind(&Self::kind(), &value)),
        }
    }
}

fn collect<T: FromValue>(
    items: impl Iterator<Item = (PathSegment, Value)>,
    secret: bool,
    conversion: Conversion,
) -> Result<Vec<(PathSegment, T)>, Vec<FieldError>> {
    let mut converted = Vec::with_capacity(items.size_hint().0);
    let mut errors = Vec::new();
    for (segment, item) in items {
        let item = if secret { item.into_secret() } else { item };
        match T::from_value(item, &conversion) {
            Ok(item) => converted.push((segment, item)),
            Err(item_errors) => {
                errors.extend(item_errors.into_iter().map(|error| error.within(segment.clone())));
            }
        }
    }
    if errors.is_empty() { Ok(converted) } else { Err(errors) }
}

/// Implements the conversion for sets, where duplicate items are taken once.
macro_rules! sets {
    ($($set:ident($($bound:path),+ $(; $hasher:ident)?)),*) => {$(
        impl<T: FromValue $(+ $bound)+ $(, $hasher: BuildHasher + Default)?> FromValue for $set<T $(, $hasher)?> {
            const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

            fn kind() -> Kind {
                Kind::List(Box::new(T::kind()))
            }

            fn text_rule() -> Option<TextRule> {
                T::text_rule()
            }

            fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
                Ok(Vec::from_value(value, conversion)?.into_iter().collect())
            }
        }
    )*};
}

sets!(BTreeSet(Ord), HashSet(Hash, Eq; S), IndexSet(Hash, Eq; S));

/// Returns the entries of a map, with their keys both as written and parsed.
fn entries<K, T>(
    kind: &Kind,
    value: Value,
    conversion: Conversion,
) -> Result<Vec<(String, K, T)>, Vec<FieldError>>
where
    K: FromStr<Err: Display>,
    T: FromValue,
{
    let (value, secret) = reveal(value);
    let Value::Map(items) = value else { return Err(wrong_kind(kind, &value)) };
    let items = items.into_iter().map(|(name, item)| (PathSegment::Name(name), item));
    let mut errors = Vec::new();
    let mut entries = Vec::new();
    for (segment, item) in collect(items, secret, conversion)? {
        let PathSegment::Name(name) = segment else { continue };
        match name.parse() {
            Ok(key) => entries.push((name, key, item)),
            Err(reason) => {
                // The reason may quote the key.
                let reason = if secret { String::new() } else { format!(": {reason}") };
                errors.push(wrong_key(name, &format!("this cannot be a key here{reason}")));
            }
        }
    }
    if errors.is_empty() { Ok(entries) } else { Err(errors) }
}

fn wrong_key(name: String, message: &str) -> FieldError {
    let path = ValuePath(vec![PathSegment::Name(name)]);
    FieldError { path, kind: FieldErrorKind::Invalid { message: message.to_owned() } }
}

macro_rules! maps {
    ($($map:ident($($bound:path),+ $(; $hasher:ident)?)),*) => {$(
        impl<K, T: FromValue $(, $hasher: BuildHasher + Default)?> FromValue for $map<K, T $(, $hasher)?>
        where
            K: FromStr<Err: Display> $(+ $bound)+,
        {
            const BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER: usize = T::BLOCKS_MUST_NOT_CONTAIN_EACH_OTHER;

            fn kind() -> Kind {
                Kind::Map(Box::new(T::kind()))
            }

            fn text_rule() -> Option<TextRule> {
                T::text_rule()
            }

            fn from_value(value: Value, conversion: &Conversion) -> Result<Self, Vec<FieldError>> {
                let (mut map, mut errors) = (Self::default(), Vec::new());
                for (name, key, item) in entries::<K, T>(&Self::kind(), value, *conversion)? {
                    if map.insert(key, item).is_some() {
                        errors.push(wrong_key(name, "this key equals an earlier one: keep one of them"));
                    }
                }
                if errors.is_empty() { Ok(map) } else { Err(errors) }
            }
        }
    )*};
}

maps!(BTreeMap(Ord), HashMap(Hash, Eq; S), IndexMap(Hash, Eq; S));
