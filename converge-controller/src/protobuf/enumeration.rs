//! Encoding of enums as field values.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{self, DecodeContext, WireType};

use super::descriptor::{Declaration, EnumDescriptor, FieldType, Link};
use super::error::{invalid, within};

/// An enum without fields that is a protobuf enum.
///
/// It is implemented by its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored enum",
    note = "write #[derive(StoredEnum)] on the enum"
)]
pub trait StoredEnum: Copy + Default {
    /// The package, such as `converge.demo.v2`.
    const PACKAGE: &'static str;
    /// The name in the package, such as `Genre`.
    const NAME: &'static str;

    /// Returns the number of the variant.
    fn number(self) -> i32;

    /// Returns the variant with a number.
    fn from_number(number: i32) -> Option<Self>;

    /// Returns the descriptor of the enum.
    fn descriptor() -> EnumDescriptor;
}

impl FieldType {
    /// Returns the field type of an enum.
    pub fn enumeration<E: StoredEnum>() -> Self {
        let declaration = || Declaration::Enum(E::descriptor());
        Self::Enum(Link { package: E::PACKAGE, name: E::NAME, declaration })
    }
}

fn known<E: StoredEnum>(number: i32) -> Result<E, DecodeError> {
    E::from_number(number).ok_or_else(|| {
        let values = E::descriptor().values;
        let names: Vec<_> = values.iter().map(|value| format!("{} {}", value.number, value.name)).collect();
        invalid(format!("{number} is not a value of {}.{}: {}", E::PACKAGE, E::NAME, names.join(", ")))
    })
}

// The derive generates calls of these functions.

/// Writes the key and the number.
pub fn encode<E: StoredEnum>(value: E, tag: u32, buf: &mut impl BufMut) {
    encoding::int32::encode(tag, &value.number(), buf);
}

/// Returns the number of bytes that [`encode`] writes.
pub fn encoded_len<E: StoredEnum>(value: E, tag: u32) -> usize {
    encoding::int32::encoded_len(tag, &value.number())
}

/// Reads a number after its key.
pub fn decode<E: StoredEnum>(
    wire_type: WireType,
    buf: &mut impl Buf,
    context: DecodeContext,
) -> Result<E, DecodeError> {
    let mut number = 0;
    encoding::int32::merge(wire_type, &mut number, buf, context)?;
    known(number)
}

/// Writes a list, packed.
pub fn encode_list<E: StoredEnum>(list: &[E], tag: u32, buf: &mut impl BufMut) {
    encoding::int32::encode_packed(tag, &numbers(list), buf);
}

/// Returns the number of bytes that [`encode_list`] writes.
pub fn list_len<E: StoredEnum>(list: &[E], tag: u32) -> usize {
    encoding::int32::encoded_len_packed(tag, &numbers(list))
}

/// Reads one value or a packed list after the key of a list.
pub fn decode_list<E: StoredEnum>(
    list: &mut Vec<E>,
    wire_type: WireType,
    buf: &mut impl Buf,
    context: DecodeContext,
) -> Result<(), DecodeError> {
    let mut numbers = Vec::new();
    encoding::int32::merge_repeated(wire_type, &mut numbers, buf, context)?;
    for number in numbers {
        let value = known(number);
        list.push(value.map_err(|error| within(&error, &format!("[{}]", list.len())))?);
    }
    Ok(())
}

fn numbers<E: StoredEnum>(list: &[E]) -> Vec<i32> {
    list.iter().map(|value| value.number()).collect()
}
