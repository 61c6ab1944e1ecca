//! What is one value on the wire.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::FieldType;
use super::error::within;

/// A type of which a field can hold one, none or many.
///
/// The derives implement it for messages and enums. [`Field`](super::Field) says what a field makes of values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value in a stored type",
    label = "not a value that can be stored",
    note = "values are bool, i32, i64, u32, u64, f32, f64, String, Vec<u8>, Bytes, Duration, Timestamp, Id, Ref<T>, and types \
            with #[derive(StoredMessage)] or #[derive(StoredEnum)]"
)]
pub trait Value: Sized + Send + Sync {
    /// Writes key and value, whatever the value is.
    fn encode(&self, tag: u32, buf: &mut impl BufMut);

    /// How many bytes [`Value::encode`] writes.
    fn encoded_len(&self, tag: u32) -> usize;

    /// Reads a value after its key. A message is merged with the value that was read before it.
    fn decode(
        earlier: Option<Self>,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<Self, DecodeError>;

    /// The value of an entry of a map that has none.
    fn absent() -> Result<Self, DecodeError>;

    /// Whether proto3 leaves the value out, as it is what a missing field means.
    fn is_default(&self) -> bool;

    /// What descriptors say of it.
    fn field_type() -> FieldType;

    /// Writes all of a list.
    fn encode_list(list: &[Self], tag: u32, buf: &mut impl BufMut) {
        for value in list {
            value.encode(tag, buf);
        }
    }

    /// How many bytes [`Value::encode_list`] writes.
    fn list_len(list: &[Self], tag: u32) -> usize {
        list.iter().map(|value| value.encoded_len(tag)).sum()
    }

    /// Reads the next value or values of a list after their key.
    fn decode_list(
        list: &mut Vec<Self>,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        let item = Self::decode(None, wire_type, buf, context);
        list.push(item.map_err(|error| within(&error, &format!("[{}]", list.len())))?);
        Ok(())
    }
}

impl<T: Value> Value for Box<T> {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        T::encode(self, tag, buf);
    }

    fn encoded_len(&self, tag: u32) -> usize {
        T::encoded_len(self, tag)
    }

    fn decode(
        earlier: Option<Self>,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<Self, DecodeError> {
        T::decode(earlier.map(|earlier| *earlier), wire_type, buf, context).map(Self::new)
    }

    fn absent() -> Result<Self, DecodeError> {
        T::absent().map(Self::new)
    }

    fn is_default(&self) -> bool {
        T::is_default(self)
    }

    fn field_type() -> FieldType {
        T::field_type()
    }
}
