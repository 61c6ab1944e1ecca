//! Numbers with an encoding other than the default of their type.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{self, DecodeContext, WireType};

use super::descriptor::{FieldType, Scalar};
use super::map::Key;
use super::value::Value;

/// A number with a short encoding of small negative values: `sint32` or `sint64`.
///
/// ```
/// use converge_controller::StoredMessage;
/// use converge_controller::protobuf::{Message, Sint};
///
/// #[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
/// #[stored(group = "demo", version = "v1")]
/// struct Shift {
///     #[stored(tag = 1)]
///     hours: Sint<i32>,
/// }
///
/// assert_eq!(Shift { hours: Sint(-1) }.encode_to_vec(), [0x08, 1]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sint<T>(pub T);

/// A number that always takes four or eight bytes: `fixed32`, `fixed64`, `sfixed32` or `sfixed64`.
///
/// For large numbers this is shorter than the default encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fixed<T>(pub T);

macro_rules! encoded {
    ($($name:ident<$ty:ty>, $module:ident, $scalar:ident;)*) => {$(
        impl From<$ty> for $name<$ty> {
            fn from(number: $ty) -> Self {
                Self(number)
            }
        }

        impl From<$name<$ty>> for $ty {
            fn from(encoded: $name<$ty>) -> Self {
                encoded.0
            }
        }

        impl Key for $name<$ty> {
            const SCALAR: Scalar = Scalar::$scalar;
        }

        impl Value for $name<$ty> {
            fn encode(&self, tag: u32, buf: &mut impl BufMut) {
                encoding::$module::encode(tag, &self.0, buf);
            }

            fn encoded_len(&self, tag: u32) -> usize {
                encoding::$module::encoded_len(tag, &self.0)
            }

            fn decode(
                _: Option<Self>,
                wire_type: WireType,
                buf: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<Self, DecodeError> {
                let mut number = 0;
                encoding::$module::merge(wire_type, &mut number, buf, context)?;
                Ok(Self(number))
            }

            fn absent() -> Result<Self, DecodeError> {
                Ok(Self(0))
            }

            fn is_default(&self) -> bool {
                self.0 == 0
            }

            fn field_type() -> FieldType {
                FieldType::Scalar(Scalar::$scalar)
            }

            fn encode_list(list: &[Self], tag: u32, buf: &mut impl BufMut) {
                encoding::$module::encode_packed(tag, &numbers(list), buf);
            }

            fn list_len(list: &[Self], tag: u32) -> usize {
                encoding::$module::encoded_len_packed(tag, &numbers(list))
            }

            fn decode_list(
                list: &mut Vec<Self>,
                wire_type: WireType,
                buf: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), DecodeError> {
                let mut more = Vec::<$ty>::new();
                encoding::$module::merge_repeated(wire_type, &mut more, buf, context)?;
                list.extend(more.into_iter().map(Self));
                Ok(())
            }
        }
    )*};
}

fn numbers<T, N: Copy + Into<T>>(list: &[N]) -> Vec<T> {
    list.iter().map(|&number| number.into()).collect()
}

encoded! {
    Sint<i32>, sint32, Sint32;
    Sint<i64>, sint64, Sint64;
    Fixed<u32>, fixed32, Fixed32;
    Fixed<u64>, fixed64, Fixed64;
    Fixed<i32>, sfixed32, Sfixed32;
    Fixed<i64>, sfixed64, Sfixed64;
}
