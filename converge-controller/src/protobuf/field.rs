//! Encoding of the fields of a message.

use std::mem;

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::{Label, Shape};
use super::value::Value;

/// A type of a field in a stored message.
///
/// It is a [`Value`], or an `Option`, a `Vec` or a `BTreeMap` of values.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a stored type",
    label = "not a type of field that can be stored",
    note = "fields are bool, i32, i64, u32, u64, f32, f64, String, Vec<u8>, Bytes, Duration, Timestamp, types with \
            #[derive(StoredMessage)] or #[derive(StoredEnum)], and Option, Vec and BTreeMap of these, of Id and of Ref<T>, \
            which refers to a resource",
    note = "an enum with #[derive(StoredOneof)] stands where the field says the numbers of its variants: #[stored(oneof(1, 2))]"
)]
pub trait Field {
    /// Writes the field, or nothing if it has the value that an absent field stands for.
    fn encode(&self, tag: u32, buf: &mut impl BufMut);

    /// Returns the number of bytes that [`Field::encode`] writes.
    fn encoded_len(&self, tag: u32) -> usize;

    /// Reads a value after a key of the field, and merges it into the field.
    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// Sets the value that an absent field stands for.
    fn clear(&mut self);

    /// Returns the shape of the field in descriptors.
    fn shape() -> Shape;
}

// Without this attribute the compiler would list all values, which is less clear than the note.
#[diagnostic::do_not_recommend]
impl<T: Value + Default> Field for T {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        if !self.is_default() {
            Value::encode(self, tag, buf);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        if self.is_default() { 0 } else { Value::encoded_len(self, tag) }
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        *self = T::decode(Some(mem::take(self)), wire_type, buf, context)?;
        Ok(())
    }

    fn clear(&mut self) {
        *self = T::default();
    }

    fn shape() -> Shape {
        Shape { label: Label::Single, ty: T::field_type() }
    }
}

impl<T: Value> Field for Option<T> {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        if let Some(value) = self {
            value.encode(tag, buf);
        }
    }

    fn encoded_len(&self, tag: u32) -> usize {
        self.as_ref().map_or(0, |value| value.encoded_len(tag))
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        *self = Some(T::decode(self.take(), wire_type, buf, context)?);
        Ok(())
    }

    fn clear(&mut self) {
        *self = None;
    }

    fn shape() -> Shape {
        Shape { label: Label::Optional, ty: T::field_type() }
    }
}

impl<T: Value> Field for Vec<T> {
    fn encode(&self, tag: u32, buf: &mut impl BufMut) {
        T::encode_list(self, tag, buf);
    }

    fn encoded_len(&self, tag: u32) -> usize {
        T::list_len(self, tag)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        T::decode_list(self, wire_type, buf, context)
    }

    fn clear(&mut self) {
        Vec::clear(self);
    }

    fn shape() -> Shape {
        Shape { label: Label::List, ty: T::field_type() }
    }
}
