//! Encoding of `oneof`s: fields of which a message has at most one.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::FieldDescriptor;

/// An enum whose variants are the fields of a protobuf `oneof`.
///
/// It is implemented by its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored oneof",
    label = "not an enum of fields",
    note = "write #[derive(StoredOneof)] on an enum each of whose variants holds one value"
)]
pub trait StoredOneof: Sized + Send + Sync {
    /// The numbers of the fields, in the order of declaration.
    const NUMBERS: &'static [u32];
    /// The JSON names of the fields, in the same order.
    const JSON_NAMES: &'static [&'static str];

    /// Returns the number of the field that is set.
    fn number(&self) -> u32;

    /// Writes the key and value of the field that is set.
    fn encode(&self, buf: &mut impl BufMut);

    /// Returns the number of bytes that [`StoredOneof::encode`] writes.
    fn encoded_len(&self) -> usize;

    /// Reads a value after a key of one of the fields.
    ///
    /// It replaces a different field. A message is merged with the earlier value of the same field.
    fn merge(
        oneof: &mut Option<Self>,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// Returns the descriptors of the fields.
    fn fields() -> Vec<FieldDescriptor>;

    // The derive of the message generates calls of these functions.

    /// Writes the field if it is set and has this number.
    ///
    /// The fields of a message are written in the order of their numbers.
    #[doc(hidden)]
    fn encode_in_order(oneof: Option<&Self>, tag: u32, buf: &mut impl BufMut) {
        if let Some(oneof) = oneof.filter(|oneof| oneof.number() == tag) {
            oneof.encode(buf);
        }
    }

    /// Returns the number of bytes of the field that is set.
    #[doc(hidden)]
    fn len(oneof: Option<&Self>) -> usize {
        oneof.map_or(0, Self::encoded_len)
    }

    /// Returns the descriptors of the fields, in a message where the `oneof` has this name.
    #[doc(hidden)]
    fn fields_of(name: &'static str) -> Vec<FieldDescriptor> {
        Self::fields().into_iter().map(|field| FieldDescriptor { oneof: Some(name), ..field }).collect()
    }
}

/// Returns whether both lists have the same numbers in any order.
///
/// Neither list has duplicates.
pub const fn same_numbers(numbers: &[u32], others: &[u32]) -> bool {
    let mut index = 0;
    while index < numbers.len() {
        let mut other_index = 0;
        while other_index < others.len() && others[other_index] != numbers[index] {
            other_index += 1;
        }
        if other_index == others.len() {
            return false;
        }
        index += 1;
    }
    numbers.len() == others.len()
}

/// Returns whether the lists have no name in common.
pub const fn names_differ(names: &[&str], others: &[&str]) -> bool {
    let mut index = 0;
    while index < names.len() {
        let mut other_index = 0;
        while other_index < others.len() {
            if same(names[index].as_bytes(), others[other_index].as_bytes()) {
                return false;
            }
            other_index += 1;
        }
        index += 1;
    }
    true
}

const fn same(text: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < text.len() && index < other.len() && text[index] == other[index] {
        index += 1;
    }
    index == text.len() && index == other.len()
}
