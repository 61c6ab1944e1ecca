//! Fields of which a message has one at most.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType};

use super::descriptor::FieldDescriptor;

/// An enum whose variants are fields of a message, of which one is there at most: a `oneof` of protobuf. Derive it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored oneof",
    label = "not an enum of fields",
    note = "write #[derive(StoredOneof)] on an enum each of whose variants holds one value"
)]
pub trait StoredOneof: Sized + Send + Sync {
    /// The numbers of the fields, as they are written.
    const NUMBERS: &'static [u32];
    /// The names of the fields as JSON has them, in the same order.
    const JSON_NAMES: &'static [&'static str];

    /// The number of the field that is there.
    fn number(&self) -> u32;

    /// Writes key and value of the field that is there.
    fn encode(&self, buf: &mut impl BufMut);

    /// How many bytes [`StoredOneof::encode`] writes.
    fn encoded_len(&self) -> usize;

    /// Reads what stands after a key of one of the fields. It takes the place of another one; a message is merged with what was
    /// read of the same one.
    fn merge(
        oneof: &mut Option<Self>,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// What descriptors say of the fields.
    fn fields() -> Vec<FieldDescriptor>;

    // The derive of the message writes calls of these.

    /// Writes the field that is there, if it has this number: the fields of a message are written in the order of their numbers.
    #[doc(hidden)]
    fn encode_in_order(oneof: Option<&Self>, tag: u32, buf: &mut impl BufMut) {
        if let Some(oneof) = oneof.filter(|oneof| oneof.number() == tag) {
            oneof.encode(buf);
        }
    }

    /// How many bytes the field takes that is there.
    #[doc(hidden)]
    fn len(oneof: Option<&Self>) -> usize {
        oneof.map_or(0, Self::encoded_len)
    }

    /// What descriptors say of the fields, in a message that calls them so together.
    #[doc(hidden)]
    fn fields_of(name: &'static str) -> Vec<FieldDescriptor> {
        Self::fields().into_iter().map(|field| FieldDescriptor { oneof: Some(name), ..field }).collect()
    }
}

/// Whether these are the same numbers, in any order. No number is there twice.
pub const fn same_numbers(numbers: &[u32], others: &[u32]) -> bool {
    let mut at = 0;
    while at < numbers.len() {
        let mut other = 0;
        while other < others.len() && others[other] != numbers[at] {
            other += 1;
        }
        if other == others.len() {
            return false;
        }
        at += 1;
    }
    numbers.len() == others.len()
}

/// Whether no name is in both.
pub const fn names_differ(names: &[&str], others: &[&str]) -> bool {
    let mut at = 0;
    while at < names.len() {
        let mut other = 0;
        while other < others.len() {
            if same(names[at].as_bytes(), others[other].as_bytes()) {
                return false;
            }
            other += 1;
        }
        at += 1;
    }
    true
}

const fn same(text: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() && at < other.len() && text[at] == other[at] {
        at += 1;
    }
    at == text.len() && at == other.len()
}
