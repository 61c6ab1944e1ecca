//! The messages in use of `google/protobuf/descriptor.proto`, with the options of Converge.
//!
//! `prost-types` would drop these options.

use converge_derive::StoredMessage;

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "FileDescriptorSet")]
pub(in crate::protobuf) struct FileSet {
    #[stored(tag = 1)]
    pub(in crate::protobuf) file: Vec<FileProto>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "FileDescriptorProto")]
pub(in crate::protobuf) struct FileProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
    #[stored(tag = 2)]
    pub(in crate::protobuf) package: String,
    #[stored(tag = 3)]
    pub(in crate::protobuf) dependency: Vec<String>,
    #[stored(tag = 4)]
    pub(in crate::protobuf) message_type: Vec<MessageProto>,
    #[stored(tag = 5)]
    pub(in crate::protobuf) enum_type: Vec<EnumProto>,
    #[stored(tag = 9)]
    pub(in crate::protobuf) source_code_info: Option<SourceInfo>,
    #[stored(tag = 12)]
    pub(in crate::protobuf) syntax: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "SourceCodeInfo")]
pub(in crate::protobuf) struct SourceInfo {
    #[stored(tag = 1)]
    pub(in crate::protobuf) location: Vec<Location>,
}

/// A source location: a path of field numbers and list indices, with a comment.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf")]
pub(in crate::protobuf) struct Location {
    #[stored(tag = 1)]
    pub(in crate::protobuf) path: Vec<i32>,
    #[stored(tag = 2)]
    pub(in crate::protobuf) span: Vec<i32>,
    #[stored(tag = 3)]
    pub(in crate::protobuf) leading_comments: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "DescriptorProto")]
pub(in crate::protobuf) struct MessageProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
    #[stored(tag = 2)]
    pub(in crate::protobuf) field: Vec<FieldProto>,
    #[stored(tag = 3)]
    pub(in crate::protobuf) nested_type: Vec<Self>,
    #[stored(tag = 4)]
    pub(in crate::protobuf) enum_type: Vec<EnumProto>,
    #[stored(tag = 7)]
    pub(in crate::protobuf) options: Option<MessageOptions>,
    #[stored(tag = 8)]
    pub(in crate::protobuf) oneof_decl: Vec<OneofProto>,
    #[stored(tag = 9)]
    pub(in crate::protobuf) reserved_range: Vec<Range>,
    #[stored(tag = 10)]
    pub(in crate::protobuf) reserved_name: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "FieldDescriptorProto")]
pub(in crate::protobuf) struct FieldProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
    #[stored(tag = 3)]
    pub(in crate::protobuf) number: i32,
    #[stored(tag = 4)]
    pub(in crate::protobuf) label: i32,
    #[stored(tag = 5)]
    pub(in crate::protobuf) r#type: i32,
    #[stored(tag = 6)]
    pub(in crate::protobuf) type_name: String,
    #[stored(tag = 8)]
    pub(in crate::protobuf) options: Option<FieldOptions>,
    #[stored(tag = 9)]
    pub(in crate::protobuf) oneof_index: Option<i32>,
    #[stored(tag = 10)]
    pub(in crate::protobuf) json_name: String,
    #[stored(tag = 17)]
    pub(in crate::protobuf) proto3_optional: bool,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "OneofDescriptorProto")]
pub(in crate::protobuf) struct OneofProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "EnumDescriptorProto")]
pub(in crate::protobuf) struct EnumProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
    #[stored(tag = 2)]
    pub(in crate::protobuf) value: Vec<EnumValueProto>,
    #[stored(tag = 4)]
    pub(in crate::protobuf) reserved_range: Vec<Range>,
    #[stored(tag = 5)]
    pub(in crate::protobuf) reserved_name: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "EnumValueDescriptorProto")]
pub(in crate::protobuf) struct EnumValueProto {
    #[stored(tag = 1)]
    pub(in crate::protobuf) name: String,
    #[stored(tag = 2)]
    pub(in crate::protobuf) number: Option<i32>,
}

/// A `ReservedRange` or an `EnumReservedRange`.
///
/// The end of a message's `ReservedRange` is exclusive, that of an `EnumReservedRange` is inclusive.
#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf", name = "ReservedRange")]
pub(in crate::protobuf) struct Range {
    #[stored(tag = 1)]
    pub(in crate::protobuf) start: Option<i32>,
    #[stored(tag = 2)]
    pub(in crate::protobuf) end: Option<i32>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf")]
pub(in crate::protobuf) struct MessageOptions {
    #[stored(tag = 7)]
    pub(in crate::protobuf) map_entry: bool,
    #[stored(tag = 59801)]
    pub(in crate::protobuf) spec: Option<Spec>,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "google.protobuf")]
pub(in crate::protobuf) struct FieldOptions {
    #[stored(tag = 59802)]
    pub(in crate::protobuf) refers_to: String,
}

#[derive(Clone, Debug, Default, PartialEq, StoredMessage)]
#[stored(package = "converge.resource")]
pub(in crate::protobuf) struct Spec {
    #[stored(tag = 1)]
    pub(in crate::protobuf) r#type: String,
    #[stored(tag = 2)]
    pub(in crate::protobuf) scope: i32,
}
