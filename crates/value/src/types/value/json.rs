//! Deserialization of values from JSON and other serde formats.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Value, ValueMap};

/// Reads plain data. Map entries keep their order, and a repeated name is an error.
///
/// ```
/// use converge_core::value::Value;
///
/// let value: Value = serde_json::from_str(r#"{"ports": [80, "443"]}"#)?;
/// assert_eq!(value.to_string(), r#"{ports = [80, "443"]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading::<Self>::default())
    }
}

impl<'de> Part<'de> for Value {
    fn map<A: MapAccess<'de>>(mut entries: A) -> Result<Value, A::Error> {
        let mut map = ValueMap::default();
        while let Some((name, value)) = entries.next_entry::<String, Value>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("`{name}` is given twice")));
            }
            map.insert(name, value);
        }
        Ok(Value::Map(map))
    }
}

/// A type as which list items and map entries are read.
#[doc(hidden)]
pub trait Part<'de>: Deserialize<'de> + Into<Value> {
    fn map<A: MapAccess<'de>>(entries: A) -> Result<Value, A::Error>;
}

/// A visitor that reads a value from parts of type `P`.
#[doc(hidden)]
pub struct Reading<P>(PhantomData<P>);

impl<P> Default for Reading<P> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<'de, P: Part<'de>> Visitor<'de> for Reading<P> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond whole numbers there are only rounded ones")]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or(Value::Float(value as f64), Value::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::string(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<P>()? {
            list.push(item.into());
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Value, A::Error> {
        P::map(entries)
    }
}

/// Returns the place of the first integer in a JSON text that has more than 64 bits.
///
/// A JSON parser rounds such a number to a float.
#[doc(hidden)]
pub fn json_number_beyond_64_bits(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'"' => {
                while let Some(byte) = bytes.get(at).filter(|byte| **byte != b'"') {
                    at += if *byte == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                at += bytes.iter().skip(at).take_while(is_part).count();
                let number = text.get(start..at)?;
                let is_integer = !number.contains(['.', 'e', 'E']);
                if is_integer && number.parse::<i64>().is_err() {
                    return Some(start..at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::json_number_beyond_64_bits;

    #[test]
    fn integers_beyond_64_bits_are_found() {
        let check = |text: &str, expect: Option<&str>| {
            let found = json_number_beyond_64_bits(text).and_then(|range| text.get(range));
            assert_eq!(found, expect, "{text}");
        };
        check("9223372036854775807", None);
        check("[-9223372036854775808, 1.5, 1e30, 98765432109876543210.0]", None);
        check(r#"{"id\"": "98765432109876543210"}"#, None);
        check("9223372036854775808", Some("9223372036854775808"));
        check(r#"{"a\\": [true, -98765432109876543210]}"#, Some("-98765432109876543210"));
        check("\"open", None);
    }
}
