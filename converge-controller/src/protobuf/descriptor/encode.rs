//! Encoding of files as `google.protobuf` messages, for reflection and tools.

use std::ops::RangeInclusive;

use prost::Message as _;

use super::files::{File, Files};
use super::text::is_message;
use super::wire::{
    EnumProto, EnumValueProto, FieldOptions, FieldProto, FileProto, FileSet, MessageOptions, MessageProto,
    OneofProto, Range, Spec,
};
use super::{
    Declaration, EnumDescriptor, FieldDescriptor, FieldType, Label, Link, MessageDescriptor, Scalar,
    comments, names,
};
use crate::identity::Scope;

/// The imported files that no Rust type describes, as a descriptor set.
///
/// They are those of protobuf, and `converge/resource/annotations.proto`.
const IMPORTED: &[u8] = include_bytes!("imported.binpb");

impl Files {
    /// Encodes all files and their imports as one `FileDescriptorSet`.
    ///
    /// The result is what `protoc --include_imports --descriptor_set_out` writes.
    pub fn descriptor_set(&self) -> Vec<u8> {
        // Concatenated encodings of a message merge its lists.
        let mut set = IMPORTED.to_vec();
        set.extend(FileSet { file: self.iter().map(File::documented).collect() }.encode_to_vec());
        set
    }
}

impl File {
    /// Encodes the file as a `FileDescriptorProto`, with the documentation of the types as comments.
    pub fn descriptor(&self) -> Vec<u8> {
        self.documented().encode_to_vec()
    }

    fn documented(&self) -> FileProto {
        FileProto { source_code_info: comments::source_info(self), ..self.wire() }
    }

    pub(super) fn wire(&self) -> FileProto {
        let messages = self.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Message(it) => Some(message(it)),
            Declaration::Enum(_) => None,
        });
        let enums = self.declarations.iter().filter_map(|declaration| match declaration {
            Declaration::Message(_) => None,
            Declaration::Enum(it) => Some(enumeration(it)),
        });
        FileProto {
            name: self.path.clone(),
            package: self.package.to_owned(),
            dependency: self.imports.iter().cloned().collect(),
            message_type: messages.collect(),
            enum_type: enums.collect(),
            syntax: "proto3".to_owned(),
            ..FileProto::default()
        }
    }
}

// These are the numbers of `FieldDescriptorProto.Label` and `.Type`.
const LABEL_SINGLE: i32 = 1;
pub(super) const LABEL_REPEATED: i32 = 3;
const TYPE_MESSAGE: i32 = 11;
const TYPE_ENUM: i32 = 14;

fn scalar_number(scalar: Scalar) -> i32 {
    match scalar {
        Scalar::Double => 1,
        Scalar::Float => 2,
        Scalar::Int64 => 3,
        Scalar::Uint64 => 4,
        Scalar::Int32 => 5,
        Scalar::Fixed64 => 6,
        Scalar::Fixed32 => 7,
        Scalar::Bool => 8,
        Scalar::String => 9,
        Scalar::Bytes => 12,
        Scalar::Uint32 => 13,
        Scalar::Sfixed32 => 15,
        Scalar::Sfixed64 => 16,
        Scalar::Sint32 => 17,
        Scalar::Sint64 => 18,
    }
}

fn scope_number(scope: Scope) -> i32 {
    match scope {
        Scope::Cluster => 1,
        Scope::Partition => 2,
        Scope::Namespace => 3,
    }
}

fn message(message: &MessageDescriptor) -> MessageProto {
    let mut proto = MessageProto {
        name: message.name.to_owned(),
        options: message.resource.as_ref().map(|resource| MessageOptions {
            map_entry: false,
            spec: Some(Spec {
                r#type: resource.resource_type.to_string(),
                scope: scope_number(resource.scope),
            }),
        }),
        reserved_range: message.reserved.numbers.iter().map(|range| reserved(range, 1)).collect(),
        reserved_name: message.reserved.names.iter().map(|&name| name.to_owned()).collect(),
        ..MessageProto::default()
    };
    // Explicit `oneof`s precede the synthetic ones of `optional` fields.
    proto.oneof_decl.extend(message.oneofs.iter().map(|oneof| OneofProto { name: oneof.name.to_owned() }));
    for descriptor in &message.fields {
        let mut field_proto = field(descriptor.name, descriptor.number, descriptor.shape.ty);
        if let Some(name) = descriptor.oneof {
            let index = message.oneofs.iter().position(|oneof| oneof.name == name);
            field_proto.oneof_index = index.and_then(|index| i32::try_from(index).ok());
        }
        match descriptor.shape.label {
            Label::Single => {}
            Label::Optional if is_message(descriptor.shape.ty) => {}
            Label::Optional => {
                field_proto.proto3_optional = true;
                field_proto.oneof_index = i32::try_from(proto.oneof_decl.len()).ok();
                proto.oneof_decl.push(OneofProto { name: format!("_{}", descriptor.name) });
            }
            Label::List => field_proto.label = LABEL_REPEATED,
            Label::Map(key) => {
                let entry = entry(descriptor, key);
                field_proto.label = LABEL_REPEATED;
                field_proto.r#type = TYPE_MESSAGE;
                field_proto.type_name = format!(".{}.{}.{}", message.package, message.name, entry.name);
                proto.nested_type.push(entry);
            }
        }
        proto.field.push(field_proto);
    }
    proto
}

fn field(name: &str, number: u32, ty: FieldType) -> FieldProto {
    let full_name = |link: Link| format!(".{}.{}", link.package, link.name);
    let (number_of_type, type_name, options) = match ty {
        FieldType::Scalar(scalar) => (scalar_number(scalar), String::new(), None),
        FieldType::Message(link) => (TYPE_MESSAGE, full_name(link), None),
        FieldType::Enum(link) => (TYPE_ENUM, full_name(link), None),
        FieldType::Reference(link, resource_type) => {
            (TYPE_MESSAGE, full_name(link), Some(FieldOptions { refers_to: resource_type.to_string() }))
        }
    };
    FieldProto {
        name: name.to_owned(),
        // The derive refuses numbers beyond 29 bits.
        number: i32::try_from(number).unwrap_or(i32::MAX),
        label: LABEL_SINGLE,
        r#type: number_of_type,
        type_name,
        options,
        json_name: names::json(name),
        ..FieldProto::default()
    }
}

/// Returns the message that protobuf generates for the entries of a map.
fn entry(map: &FieldDescriptor, key: Scalar) -> MessageProto {
    let mut value = field("value", 2, map.shape.ty);
    // The reference option of the values is set on the map field itself.
    value.options = None;
    MessageProto {
        name: names::entry(map.name),
        field: vec![field("key", 1, FieldType::Scalar(key)), value],
        options: Some(MessageOptions { map_entry: true, spec: None }),
        ..MessageProto::default()
    }
}

fn enumeration(descriptor: &EnumDescriptor) -> EnumProto {
    let value = |name: &str, number| EnumValueProto { name: name.to_owned(), number: Some(number) };
    EnumProto {
        name: descriptor.name.to_owned(),
        value: descriptor
            .in_order()
            .map(|value_descriptor| value(value_descriptor.name, value_descriptor.number))
            .collect(),
        reserved_range: descriptor.reserved.numbers.iter().map(|range| reserved(range, 0)).collect(),
        reserved_name: descriptor.reserved.names.iter().map(|&name| name.to_owned()).collect(),
    }
}

fn reserved(range: &RangeInclusive<i32>, beyond: i32) -> Range {
    Range { start: Some(*range.start()), end: Some(range.end().saturating_add(beyond)) }
}
