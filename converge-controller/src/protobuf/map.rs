//! Encoding of maps: lists of messages with a key and a value.

use std::collections::BTreeMap;
use std::fmt::Debug;

use bytes::{Buf, BufMut};
use prost::encoding::{self, DecodeContext, WireType};
use prost::{DecodeError, Message};

use super::descriptor::{Label, Scalar, Shape};
use super::error::within;
use super::field::Field;
use super::value::Value;

/// A type of map keys: integers, `bool` and `String`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a stored map",
    label = "not a key",
    note = "keys are bool, i32, i64, u32, u64, Sint, Fixed and String"
)]
pub trait Key: Value + Debug + Default + Ord {
    /// The scalar type in descriptors.
    const SCALAR: Scalar;
}

macro_rules! keys {
    ($($ty:ty => $scalar:ident,)*) => {$(
        impl Key for $ty {
            const SCALAR: Scalar = Scalar::$scalar;
        }
    )*};
}

keys! {
    bool => Bool,
    i32 => Int32,
    i64 => Int64,
    u32 => Uint32,
    u64 => Uint64,
    String => String,
}

const KEY: u32 = 1;
const VALUE: u32 = 2;

/// A decoded map entry. It is a message, so that prost limits its depth like that of other messages.
#[derive(Debug)]
struct Entry<K, V> {
    key: Option<K>,
    value: Option<V>,
}

impl<K: Key, V: Value> Message for Entry<K, V> {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        self.key.encode(KEY, buf);
        self.value.encode(VALUE, buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            KEY => self.key.merge(wire_type, buf, context),
            VALUE => self.value.merge(wire_type, buf, context),
            _ => encoding::skip_field(wire_type, tag, buf, context),
        }
    }

    fn encoded_len(&self) -> usize {
        self.key.encoded_len(KEY) + self.value.encoded_len(VALUE)
    }

    fn clear(&mut self) {
        *self = Self { key: None, value: None };
    }
}

fn entry_len<K: Key, V: Value>(key: &K, value: &V) -> usize {
    Value::encoded_len(key, KEY) + value.encoded_len(VALUE)
}

impl<K: Key, V: Value> Field for BTreeMap<K, V> {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        for (key, value) in self {
            encoding::encode_key(tag, WireType::LengthDelimited, buf);
            encoding::encode_varint(entry_len(key, value) as u64, buf);
            Value::encode(key, KEY, buf);
            value.encode(VALUE, buf);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        let lens = self.iter().map(|(key, value)| entry_len(key, value));
        lens.map(|len| encoding::key_len(tag) + encoding::encoded_len_varint(len as u64) + len).sum()
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut entry = Entry { key: None, value: None };
        let read = encoding::message::merge(wire_type, &mut entry, buf, context);
        let Entry { key, value } = entry;
        let value = read.and_then(|()| value.map_or_else(V::absent, Ok));
        let key = key.unwrap_or_default();
        let value = value.map_err(|error| within(&error, &format!("[{key:?}]")))?;
        self.insert(key, value);
        Ok(())
    }

    fn clear(&mut self) {
        Self::clear(self);
    }

    fn shape() -> Shape {
        Shape { label: Label::Map(K::SCALAR), ty: V::field_type() }
    }
}
