//! Encoding of single values.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::FieldType;
use super::error::within;

/// A type that a field can contain once, optionally or repeatedly.
///
/// The derives implement it for messages and enums. [`Field`](super::Field) defines the encoding of fields.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a value in a stored type",
    label = "not a value that can be stored",
    note = "values are bool, i32, i64, u32, u64, f32, f64, String, Vec<u8>, Bytes, Duration, Timestamp, Id, Ref<T>, and types \
            with #[derive(StoredMessage)] or #[derive(StoredEnum)]"
)]
pub trait Value: Sized + Send + Sync {
    /// Writes the key and the value, even if it is the default.
    fn encode(&self, tag: u32, buf: &mut impl BufMut);

    /// Returns the number of bytes that [`Value::encode`] writes.
    fn encoded_len(&self, tag: u32) -> usize;

    /// Reads a value after its key; a message is merged into the earlier value.
    fn decode(
        earlier: Option<Self>,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<Self, DecodeError>;

    /// Returns the value of a map entry without a value.
    fn absent() -> Result<Self, DecodeError>;

    /// Returns whether proto3 omits the value because an absent field stands for it.
    fn is_default(&self) -> bool;

    /// Returns the type of the value in descriptors.
    fn field_type() -> FieldType;

    /// Writes a whole list.
    fn encode_list(list: &[Self], tag: u32, buf: &mut impl BufMut) {
        for value in list {
            value.encode(tag, buf);
        }
    }

    /// Returns the number of bytes that [`Value::encode_list`] writes.
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
