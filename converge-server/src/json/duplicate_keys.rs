//! The refusal of duplicates in JSON, of which all but the last would be lost silently.
//!
//! Duplicates are a repeated name in an object, a field in both of its spellings, and several fields of one
//! `oneof`.

use std::collections::BTreeSet;
use std::fmt;

use prost_reflect::{Kind, MessageDescriptor};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::json_path::{Path, Place};

/// Refuses a text in which an object repeats a name.
///
/// Invalid JSON is left to the parser.
pub(crate) fn refuse_in_text(text: &[u8]) -> Result<(), serde_path_to_error::Error<serde_json::Error>> {
    let mut json = serde_json::Deserializer::from_slice(text);
    match serde_path_to_error::deserialize::<_, Names>(&mut json) {
        Err(error) if error.inner().is_data() => Err(error),
        _ => Ok(()),
    }
}

/// Any JSON value; only the names in objects are checked.
struct Names;

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = Names;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = map.next_key::<String>()? {
            // The path of an error is that of the value.
            if names.insert(name) {
                map.next_value::<Names>()?
            } else {
                map.next_value_seed(Again)?
            };
        }
        Ok(Names)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Names, A::Error> {
        while list.next_element::<Names>()?.is_some() {}
        Ok(Names)
    }

    fn visit_unit<E>(self) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Names, E> {
        Ok(Names)
    }

    fn visit_str<E>(self, _: &str) -> Result<Names, E> {
        Ok(Names)
    }
}

/// A seed for the value of a repeated name, which always fails.
struct Again;

impl<'de> DeserializeSeed<'de> for Again {
    type Value = Names;

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<Names, D::Error> {
        Err(D::Error::custom("this key is written twice"))
    }
}

/// Refuses data with a field in both spellings, or with two fields of one `oneof`.
pub(super) fn refuse_in_message(
    message: &MessageDescriptor,
    fields: &Map<String, Value>,
) -> Result<(), (Path, serde_json::Error)> {
    let mut path = vec![Place::Name("data".to_owned())];
    in_message(message, fields, &mut path).map_err(|error| (path, error))
}

/// Checks one message, and leaves the place of an error in `path`.
fn in_message(
    message: &MessageDescriptor,
    fields: &Map<String, Value>,
    path: &mut Path,
) -> Result<(), serde_json::Error> {
    for (name, value) in fields {
        let field = message.get_field_by_name(name).or_else(|| message.get_field_by_json_name(name));
        // The parser reports unknown fields.
        let Some(field) = field else { continue };
        path.push(Place::Name(name.clone()));
        if name != field.name() && fields.contains_key(field.name()) {
            let message = format!("this is `{}` in another spelling: write one of them", field.name());
            return Err(Error::custom(message));
        }
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let value_kind = entry.map_entry_value_field().kind();
                for (key, value) in value.as_object().into_iter().flatten() {
                    path.push(Place::Name(key.clone()));
                    in_value(&value_kind, value, path)?;
                    path.pop();
                }
            }
            kind => match value {
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        path.push(Place::Index(index));
                        in_value(&kind, item, path)?;
                        path.pop();
                    }
                }
                value => in_value(&kind, value, path)?,
            },
        }
        path.pop();
    }
    in_oneofs(message, fields, path)
}

fn in_oneofs(
    message: &MessageDescriptor,
    fields: &Map<String, Value>,
    path: &mut Path,
) -> Result<(), serde_json::Error> {
    // A synthetic `oneof` represents an `optional` field.
    for oneof in message.oneofs().filter(|oneof| !oneof.is_synthetic()) {
        let is_there = |name: &str| fields.get(name).is_some_and(|value| !value.is_null());
        let members: Vec<_> = oneof.fields().collect();
        let mut names = members
            .iter()
            .filter_map(|field| [field.name(), field.json_name()].into_iter().find(|name| is_there(name)));
        if let (Some(first), Some(again)) = (names.next(), names.next()) {
            path.push(Place::Name(again.to_owned()));
            return Err(Error::custom(format!("this and `{first}` exclude each other: write one of them")));
        }
    }
    Ok(())
}

fn in_value(kind: &Kind, value: &Value, path: &mut Path) -> Result<(), serde_json::Error> {
    match (kind, value) {
        (Kind::Message(message), Value::Object(fields)) => in_message(message, fields, path),
        _ => Ok(()),
    }
}
