//! What protobuf knows of a stored type.
//!
//! The derives make these descriptions; [`Files`] arranges them as protobuf does.

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

/// A struct as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageDescriptor {
    /// The package, such as `converge.demo.v2`.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// The path of the struct, for messages about it.
    pub rust_name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Its fields, as they are written; those of a `oneof` stand together.
    pub fields: Vec<FieldDescriptor>,
    /// What some of the fields are together.
    pub oneofs: Vec<OneofDescriptor>,
    /// What no field may have.
    pub reserved: Reserved,
    /// What it is as a resource, if it is one.
    pub resource: Option<ResourceOptions>,
}

/// What a message says of the resources whose data it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOptions {
    /// Their type.
    pub resource_type: Type,
    /// How much of a tenancy they have.
    pub scope: Scope,
}

/// A field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDescriptor {
    /// The name.
    pub name: &'static str,
    /// The number that stands for it in bytes.
    pub number: u32,
    /// Its documentation.
    pub doc: &'static str,
    /// What it holds.
    pub shape: Shape,
    /// The name of the `oneof` that it is of.
    pub oneof: Option<&'static str>,
}

/// Fields of a message of which one is there at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneofDescriptor {
    /// What they are called together. Neither bytes nor JSON have it.
    pub name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How many.
    pub label: Label,
    /// Of what; the values of a map.
    pub ty: FieldType,
}

/// How many values a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// One; a missing one means the default.
    Single,
    /// One or none.
    Optional,
    /// Any number, in order.
    List,
    /// Any number, each with a key.
    Map(Scalar),
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A number, a truth, a text or bytes.
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
    /// What protobuf calls it.
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

/// The name of a message or enum that a field holds, and how to learn more of it.
///
/// A message may hold itself, so the description is made when it is asked for.
#[derive(Clone, Copy)]
pub struct Link {
    /// The package.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// Makes the description.
    pub declaration: fn() -> Declaration,
}

impl PartialEq for Link {
    /// Whether they name the same.
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

/// An enum as one of protobuf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDescriptor {
    /// The package.
    pub package: &'static str,
    /// The name in the package.
    pub name: &'static str,
    /// The path of the enum in Rust, for messages about it.
    pub rust_name: &'static str,
    /// Its documentation.
    pub doc: &'static str,
    /// Its values, as they are written.
    pub values: Vec<EnumValueDescriptor>,
    /// What no value may have.
    pub reserved: Reserved,
}

impl EnumDescriptor {
    /// The values as a file has them: proto3 asks for the value 0 first.
    fn in_order(&self) -> impl Iterator<Item = &EnumValueDescriptor> {
        let zero = self.values.iter().filter(|value| value.number == 0);
        zero.chain(self.values.iter().filter(|value| value.number != 0))
    }
}

/// A value of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumValueDescriptor {
    /// The name, beginning with that of the enum: `GENRE_JAZZ`.
    pub name: &'static str,
    /// The number that stands for it in bytes.
    pub number: i32,
    /// Its documentation.
    pub doc: &'static str,
}

/// Numbers and names that are never used again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reserved {
    /// The numbers.
    pub numbers: Vec<RangeInclusive<i32>>,
    /// The names.
    pub names: Vec<&'static str>,
}

/// A message or an enum.
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
