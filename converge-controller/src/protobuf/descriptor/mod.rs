//! Protobuf descriptors of stored types.
//!
//! The derives generate the descriptors; [`Files`] arranges them in files.

mod breaking;
mod comments;
mod encode;
mod error;
mod files;
mod names;
mod text;
mod wire;

use std::fmt;
use std::ops::RangeInclusive;

pub use breaking::Breaking;
pub use error::DescriptorError;
pub use files::{File, Files};
pub use names::snake_case;
#[cfg(test)]
pub(super) use wire::{FileProto, FileSet};

use crate::identity::{Scope, Type};

/// The descriptor of a struct as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDescriptor {
    /// The package, such as `converge.demo.v2`.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// The path of the struct, for error messages.
    pub rust_name: &'static str,
    /// The documentation of the message.
    pub doc: &'static str,
    /// The fields in the order of declaration; those of a `oneof` are adjacent.
    pub fields: Vec<FieldDescriptor>,
    /// The `oneof`s of the message.
    pub oneofs: Vec<OneofDescriptor>,
    /// The numbers and names that no field may use.
    pub reserved: Reserved,
    /// The resource options, if the message is the data of a resource.
    pub resource: Option<ResourceOptions>,
}

/// The options of a message that is the data of resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOptions {
    /// The type of the resources.
    pub resource_type: Type,
    /// The scope of the resources.
    pub scope: Scope,
}

/// The descriptor of a field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDescriptor {
    /// The name.
    pub name: &'static str,
    /// The number of the field in the encoding.
    pub number: u32,
    /// The documentation of the field.
    pub doc: &'static str,
    /// The label and the type of the values.
    pub shape: Shape,
    /// The name of the `oneof` that the field belongs to.
    pub oneof: Option<&'static str>,
}

/// The descriptor of a `oneof`: fields of which at most one is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneofDescriptor {
    /// The name, which is neither in the encoding nor in JSON.
    pub name: &'static str,
    /// The documentation of the `oneof`.
    pub doc: &'static str,
}

/// The label and type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The number of values.
    pub label: Label,
    /// The type of the values; for a map, of its values.
    pub ty: FieldType,
}

/// The number of values in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// One value; if absent, the default.
    Single,
    /// One value or none.
    Optional,
    /// Any number of values, in order.
    List,
    /// Any number of values, each with a key.
    Map(Scalar),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number, a boolean, a text or bytes.
    Scalar(Scalar),
    /// A message.
    Message(Link),
    /// An enum.
    Enum(Link),
    /// A reference to a resource of a type.
    Reference(Link, &'static Type),
}

/// The types of values that are neither messages nor enums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what protobuf calls so")]
pub enum Scalar {
    Bool,
    Int32,
    Int64,
    Uint32,
    Uint64,
    Sint32,
    Sint64,
    Fixed32,
    Fixed64,
    Sfixed32,
    Sfixed64,
    Float,
    Double,
    String,
    Bytes,
}

impl Scalar {
    /// Returns the name of the type in protobuf.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Sint32 => "sint32",
            Self::Sint64 => "sint64",
            Self::Fixed32 => "fixed32",
            Self::Fixed64 => "fixed64",
            Self::Sfixed32 => "sfixed32",
            Self::Sfixed64 => "sfixed64",
            Self::Float => "float",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
        }
    }
}

/// The name of a message or enum that a field contains, and a function that describes it.
///
/// A message can contain itself, so the description is created on demand.
#[derive(Clone, Copy)]
pub struct Link {
    /// The package.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// Creates the description.
    pub declaration: fn() -> Declaration,
}

impl PartialEq for Link {
    /// Returns whether both links have the same name.
    fn eq(&self, other: &Self) -> bool {
        (self.package, self.name) == (other.package, other.name)
    }
}

impl Eq for Link {}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link({}.{})", self.package, self.name)
    }
}

/// The descriptor of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDescriptor {
    /// The package.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// The path of the enum in Rust, for error messages.
    pub rust_name: &'static str,
    /// The documentation of the enum.
    pub doc: &'static str,
    /// The values in the order of declaration.
    pub values: Vec<EnumValueDescriptor>,
    /// The numbers and names that no value may use.
    pub reserved: Reserved,
}

impl EnumDescriptor {
    /// Returns the values in the order of a file: proto3 requires the value 0 first.
    fn in_order(&self) -> impl Iterator<Item = &EnumValueDescriptor> {
        let zero = self.values.iter().filter(|value| value.number == 0);
        zero.chain(self.values.iter().filter(|value| value.number != 0))
    }
}

/// The descriptor of an enum value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValueDescriptor {
    /// The name, with the name of the enum as prefix: `GENRE_JAZZ`.
    pub name: &'static str,
    /// The number of the value in the encoding.
    pub number: i32,
    /// The documentation of the value.
    pub doc: &'static str,
}

/// Numbers and names that must never be used again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// The numbers.
    pub numbers: Vec<RangeInclusive<i32>>,
    /// The names.
    pub names: Vec<&'static str>,
}

/// The descriptor of a message or an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A message.
    Message(MessageDescriptor),
    /// An enum.
    Enum(EnumDescriptor),
}

impl Declaration {
    fn rust_name(&self) -> &'static str {
        match self {
            Self::Message(message) => message.rust_name,
            Self::Enum(it) => it.rust_name,
        }
    }
}
