//! Encoding of messages as field values.

use bytes::{Buf, BufMut};
use prost::encoding::{self, DecodeContext, WireType};
use prost::{DecodeError, Message};

use super::descriptor::{Declaration, FieldType, Link, MessageDescriptor};

/// A struct that is a protobuf message.
///
/// It is implemented by its derive.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a stored message",
    note = "write #[derive(StoredMessage)] or #[derive(StoredResource)] on the struct"
)]
pub trait StoredMessage: Message + Default {
    /// The package, such as `converge.demo.v2`.
    const PACKAGE: &'static str;
    /// The name in the package, such as `Artist`.
    const NAME: &'static str;

    /// Returns the descriptor of the message.
    fn descriptor() -> MessageDescriptor;
}

impl Declaration {
    /// Returns the declaration of a message type.
    pub fn for_message<M: StoredMessage>() -> Self {
        Self::Message(M::descriptor())
    }
}

impl FieldType {
    /// Returns the field type of a message.
    pub fn message<M: StoredMessage>() -> Self {
        Self::Message(Link { package: M::PACKAGE, name: M::NAME, declaration: Declaration::for_message::<M> })
    }
}

/// Reads a message after its key, and merges it into the earlier value.
///
/// The derives generate calls of it.
pub fn decode<M: StoredMessage>(
    earlier: Option<M>,
    wire_type: WireType,
    buf: &mut impl Buf,
    context: DecodeContext,
) -> Result<M, DecodeError> {
    let mut message = earlier.unwrap_or_default();
    encoding::message::merge(wire_type, &mut message, buf, context)?;
    Ok(message)
}

/// Returns the value of an absent message.
///
/// The derives generate calls of it.
pub fn default<M: StoredMessage>() -> M {
    M::default()
}

/// A message that represents another Rust type in the encoding.
pub(crate) trait Wire: StoredMessage {
    /// The Rust type.
    type Native: Send + Sync;

    fn from_native(native: &Self::Native) -> Self;
    fn into_native(self) -> Result<Self::Native, DecodeError>;
}

pub(crate) fn encode_as<W: Wire>(native: &W::Native, tag: u32, buf: &mut impl BufMut) {
    encoding::message::encode(tag, &W::from_native(native), buf);
}

pub(crate) fn encoded_len_as<W: Wire>(native: &W::Native, tag: u32) -> usize {
    encoding::message::encoded_len(tag, &W::from_native(native))
}

pub(crate) fn decode_as<W: Wire>(
    earlier: Option<&W::Native>,
    wire_type: WireType,
    buf: &mut impl Buf,
    context: DecodeContext,
) -> Result<W::Native, DecodeError> {
    decode(earlier.map(W::from_native), wire_type, buf, context)?.into_native()
}

/// Implements [`Value`](super::Value) for a type by its wire message.
macro_rules! value_as {
    ($native:ty, $wire:ty, $is_default:expr) => {
        impl $crate::protobuf::Value for $native {
            fn encode(&self, tag: u32, buf: &mut impl ::bytes::BufMut) {
                $crate::protobuf::encode_as::<$wire>(self, tag, buf);
            }

            fn encoded_len(&self, tag: u32) -> usize {
                $crate::protobuf::encoded_len_as::<$wire>(self, tag)
            }

            fn decode(
                earlier: Option<Self>,
                wire_type: ::prost::encoding::WireType,
                buf: &mut impl ::bytes::Buf,
                context: ::prost::encoding::DecodeContext,
            ) -> Result<Self, ::prost::DecodeError> {
                $crate::protobuf::decode_as::<$wire>(earlier.as_ref(), wire_type, buf, context)
            }

            fn absent() -> Result<Self, ::prost::DecodeError> {
                $crate::protobuf::Wire::into_native(<$wire>::default())
            }

            fn is_default(&self) -> bool {
                let is_default: fn(&Self) -> bool = $is_default;
                is_default(self)
            }

            fn field_type() -> $crate::protobuf::FieldType {
                $crate::protobuf::FieldType::message::<$wire>()
            }
        }
    };
}
pub(crate) use value_as;
