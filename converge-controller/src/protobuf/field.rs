//! What a field of a message makes of its values.

use std::mem;

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::{Label, Shape};
use super::value::Value;

/// A type that a field of a stored message can have: one [`Value`], or an `Option`, a `Vec` or a `BTreeMap` of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a stored type",
    label = "not a type of field that can be stored",
    note = "fields are bool, i32, i64, u32, u64, f32, f64, String, Vec<u8>, Bytes, Duration, Timestamp, types with \
            #[derive(StoredMessage)] or #[derive(StoredEnum)], and Option, Vec and BTreeMap of these, of Id and of Ref<T>, \
            which refers to a resource",
    note = "an enum with #[derive(StoredOneof)] stands where the field says the numbers of its variants: #[stored(oneof(1, 2))]"
)]
pub trait Field {
    /// Writes the field, or nothing when it is what a missing field means.
    fn encode(&self, tag: u32, buf: &mut impl BufMut);

    /// How many bytes [`Field::encode`] writes.
    fn encoded_len(&self, tag: u32) -> usize;

    /// Reads what stands after a key of the field into it.
    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// Makes it what a missing field means.
    fn clear(&mut self);

    /// What descriptors say of it.
    fn shape() -> Shape;
}

// Else the compiler would list all values, where the note says it better.
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
