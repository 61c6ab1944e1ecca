//! Encoding of numbers, booleans, texts and bytes.

use bytes::{Buf, BufMut, Bytes};
use prost::DecodeError;
use prost::encoding::{self, DecodeContext, WireType};

use super::descriptor::{FieldType, Scalar};
use super::value::Value;

/// Implements the methods that all scalars share.
///
/// `default` decides whether a value is that of an absent field.
macro_rules! single {
    ($module:ident, $scalar:ident, $default:expr) => {
        fn encode(&self, tag: u32, buf: &mut impl BufMut) {
            encoding::$module::encode(tag, self, buf);
        }

        fn encoded_len(&self, tag: u32) -> usize {
            encoding::$module::encoded_len(tag, self)
        }

        fn decode(
            _: Option<Self>,
            wire_type: WireType,
            buf: &mut impl Buf,
            context: DecodeContext,
        ) -> Result<Self, DecodeError> {
            let mut value = Self::default();
            encoding::$module::merge(wire_type, &mut value, buf, context)?;
            Ok(value)
        }

        fn absent() -> Result<Self, DecodeError> {
            Ok(Self::default())
        }

        fn is_default(&self) -> bool {
            let is_default: fn(&Self) -> bool = $default;
            is_default(self)
        }

        fn field_type() -> FieldType {
            FieldType::Scalar(Scalar::$scalar)
        }
    };
}

macro_rules! numbers {
    ($($ty:ty, $module:ident, $scalar:ident, $default:expr;)*) => {$(
        impl Value for $ty {
            single!($module, $scalar, $default);

            fn encode_list(list: &[Self], tag: u32, buf: &mut impl BufMut) {
                encoding::$module::encode_packed(tag, list, buf);
            }

            fn list_len(list: &[Self], tag: u32) -> usize {
                encoding::$module::encoded_len_packed(tag, list)
            }

            fn decode_list(
                list: &mut Vec<Self>,
                wire_type: WireType,
                buf: &mut impl Buf,
                context: DecodeContext,
            ) -> Result<(), DecodeError> {
                encoding::$module::merge_repeated(wire_type, list, buf, context)
            }
        }
    )*};
}

numbers! {
    bool, bool, Bool, |value| !*value;
    i32, int32, Int32, |value| *value == 0;
    i64, int64, Int64, |value| *value == 0;
    u32, uint32, Uint32, |value| *value == 0;
    u64, uint64, Uint64, |value| *value == 0;
    // -0.0 equals 0.0, but an absent field does not mean -0.0.
    f32, float, Float, |value| value.to_bits() == 0;
    f64, double, Double, |value| value.to_bits() == 0;
}

impl Value for String {
    single!(string, String, Self::is_empty);
}

impl Value for Vec<u8> {
    single!(bytes, Bytes, Self::is_empty);
}

impl Value for Bytes {
    single!(bytes, Bytes, Self::is_empty);
}
