//! The protobuf encoding of the data of resources, and descriptors of their types.
//!
//! A stored type is one Rust struct and one protobuf message. `#[derive(StoredResource)]` and
//! `#[derive(StoredMessage)]` generate the [`prost::Message`] implementation of a struct, field by field,
//! with [`Field`]. `#[derive(StoredEnum)]` does the same for an enum, and `#[derive(StoredOneof)]` for fields
//! of which at most one is set. A [`MessageDescriptor`] describes the message. [`Files`] generates `.proto`
//! files and descriptor sets from it.
//!
//! | Rust | protobuf |
//! | --- | --- |
//! | `bool`, `i32`, `i64`, `u32`, `u64`, `f32`, `f64`, `String` | `bool`, `int32`, `int64`, `uint32`, `uint64`, `float`, `double`, `string` |
//! | [`Sint<i32>`](Sint), `Sint<i64>` | `sint32`, `sint64` |
//! | [`Fixed<u32>`](Fixed), `Fixed<u64>`, `Fixed<i32>`, `Fixed<i64>` | `fixed32`, `fixed64`, `sfixed32`, `sfixed64` |
//! | `Vec<u8>`, [`Bytes`](bytes::Bytes) | `bytes` |
//! | an enum with `StoredEnum` | an enum |
//! | a struct with `StoredMessage` | a message |
//! | `Option` of an enum with `StoredOneof` | a `oneof` |
//! | `Box<T>` | as `T` |
//! | `Option<T>` | `optional T`; for messages there is no difference |
//! | `Vec<T>` | `repeated T`, packed where proto3 packs |
//! | `BTreeMap<K, V>` | `map<K, V>` |
//! | [`Duration`](std::time::Duration), [`Timestamp`] | `google.protobuf.Duration`, `google.protobuf.Timestamp` |
//! | [`Id`](crate::Id), [`Reference`](crate::Reference), [`Ref<T>`](crate::Ref), [`Type`](crate::Type), [`Tenancy`](crate::Tenancy) | `converge.resource.Id`, `Reference`, `Type`, `Tenancy` |
//! | [`Resource`](crate::Resource), [`Status`](crate::Status), [`Condition`](crate::Condition), [`ConditionState`](crate::ConditionState) | `converge.resource.Resource`, `Status`, `Condition`, `ConditionState` |
//! | [`Data`](crate::Data) | `google.protobuf.Any` |
//!
//! Decoding follows proto3: unknown fields are skipped, the last value of a field wins, messages are merged,
//! lists appended. Two cases are stricter, because a silent loss is worse than an error. An unknown enum
//! number, and an invalid duration, time or identity, are errors. An error contains the path to the field.

mod descriptor;
mod enumeration;
mod error;
mod field;
mod identity;
mod map;
mod message;
mod number_encodings;
mod oneof;
mod scalar;
#[cfg(test)]
mod tests;
mod time;
mod value;

pub use descriptor::{
    Breaking, Declaration, DescriptorError, EnumDescriptor, EnumValueDescriptor, FieldDescriptor, FieldType,
    File, Files, Label, Link, MessageDescriptor, OneofDescriptor, Reserved, ResourceOptions, Scalar, Shape,
    snake_case,
};
pub use enumeration::StoredEnum;
pub use error::invalid;
pub use field::Field;
pub use jiff::Timestamp;
pub use map::Key;
pub use message::StoredMessage;
pub use number_encodings::{Fixed, Sint};
pub use oneof::StoredOneof;
pub use prost::{DecodeError, Message};
pub use value::Value;

// Other modules of the crate describe their messages with these.
pub(crate) use error::{inner, part, within};
pub(crate) use identity::{WireId, WireReference};
pub(crate) use message::{Wire, decode_as, encode_as, encoded_len_as, value_as};

/// The `.proto` files of this crate that types import, by path.
pub const PROTO_FILES: [(&str, &str); 9] = [
    ("converge/resource/annotations.proto", include_str!("../../proto/converge/resource/annotations.proto")),
    ("converge/resource/condition.proto", include_str!("../../proto/converge/resource/condition.proto")),
    (
        "converge/resource/condition_state.proto",
        include_str!("../../proto/converge/resource/condition_state.proto"),
    ),
    ("converge/resource/id.proto", include_str!("../../proto/converge/resource/id.proto")),
    ("converge/resource/reference.proto", include_str!("../../proto/converge/resource/reference.proto")),
    ("converge/resource/resource.proto", include_str!("../../proto/converge/resource/resource.proto")),
    ("converge/resource/status.proto", include_str!("../../proto/converge/resource/status.proto")),
    ("converge/resource/tenancy.proto", include_str!("../../proto/converge/resource/tenancy.proto")),
    ("converge/resource/type.proto", include_str!("../../proto/converge/resource/type.proto")),
];

/// Functions that the code of the derives calls.
pub(crate) mod macro_support {
    pub use super::enumeration::{
        decode as decode_enum, decode_list as decode_enums, encode as encode_enum,
        encode_list as encode_enums, encoded_len as enum_len, list_len as enums_len,
    };
    pub use super::error::within;
    pub use super::message::{decode as decode_message, default as default_message};
    pub use super::oneof::{names_differ, same_numbers};
}
