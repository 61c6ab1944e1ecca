//! Values of the module language on the wire.

use serde::de::{Error as _, MapAccess};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::types::value::{Part, Reading, Value, ValueMap};

const SECRET: &str = "$secret";
const UNKNOWN: &str = "$unknown";
const FLOAT: &str = "$float";
const MAP: &str = "$map";

/// A value on the wire.
///
/// Plain data is plain JSON; other values are an object with one key that begins with `$`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WireValue(pub(crate) Value);

struct Sent<'a>(&'a Value);

impl Serialize for WireValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Sent(&self.0).serialize(serializer)
    }
}

fn marked<S: Serializer>(serializer: S, mark: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(mark, value)?;
    map.end()
}

impl Serialize for Sent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::Float(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Float(value) => marked(serializer, FLOAT, &value.to_string()),
            Value::String(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items.iter().map(Sent)),
            Value::Map(items) if items.keys().any(|name| name.starts_with('$')) => {
                let items: Vec<(&str, Sent<'_>)> =
                    items.iter().map(|(name, item)| (name.as_str(), Sent(item))).collect();
                marked(serializer, MAP, &items)
            }
            Value::Map(items) => serializer.collect_map(items.iter().map(|(name, item)| (name, Sent(item)))),
            Value::Unknown(unknown) => marked(serializer, UNKNOWN, &&*unknown.waits_for),
            Value::Secret(secret) => marked(serializer, SECRET, &Sent(secret.expose())),
        }
    }
}

impl<'de> Deserialize<'de> for WireValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading::<Self>::default()).map(Self)
    }
}

impl From<WireValue> for Value {
    fn from(value: WireValue) -> Self {
        value.0
    }
}

impl<'de> Part<'de> for WireValue {
    fn map<A: MapAccess<'de>>(mut entries: A) -> Result<Value, A::Error> {
        let mut map = ValueMap::default();
        while let Some(name) = entries.next_key::<String>()? {
            if !name.starts_with('$') {
                if map.insert(name.clone(), entries.next_value::<WireValue>()?.0).is_some() {
                    return Err(A::Error::custom(format_args!("`{name}` is given twice")));
                }
                continue;
            }
            let value =
                match name.as_str() {
                    SECRET => entries.next_value::<WireValue>()?.0.into_secret(),
                    UNKNOWN => Value::unknown(entries.next_value::<String>()?),
                    FLOAT => Value::Float(float(&entries.next_value::<String>()?).ok_or_else(|| {
                        A::Error::custom("a `$float` is one of \"NaN\", \"inf\" and \"-inf\"")
                    })?),
                    MAP => {
                        let mut map = ValueMap::default();
                        for (name, WireValue(item)) in entries.next_value::<Vec<(String, WireValue)>>()? {
                            if map.insert(name.clone(), item).is_some() {
                                return Err(A::Error::custom(format_args!("`{name}` is given twice")));
                            }
                        }
                        Value::Map(map)
                    }
                    _ => {
                        let marks = format!("`{SECRET}`, `{UNKNOWN}`, `{FLOAT}` and `{MAP}`");
                        return Err(A::Error::custom(format_args!("`{name}` is not one of {marks}")));
                    }
                };
            if !map.is_empty() || entries.next_key::<serde::de::IgnoredAny>()?.is_some() {
                return Err(A::Error::custom(format_args!("`{name}` stands alone in its object")));
            }
            return Ok(value);
        }
        Ok(Value::Map(map))
    }
}

fn float(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}
