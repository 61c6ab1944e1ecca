//! Incompatible changes of types, which break stored data or their readers.

use std::collections::BTreeMap;

use prost::{DecodeError, Message as _};

use super::files::{File, Files};
use super::wire::{EnumProto, FieldProto, FileProto, FileSet, MessageProto, Range};
use crate::debug_as_text;

/// An incompatible change of a type, which breaks stored data or their readers.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum Breaking {
    /// A message or an enum was removed.
    #[error(
        "{name} was removed, so its stored data could not be read: keep it, or give it another group version"
    )]
    Gone {
        /// The full name of the message or enum.
        name: String,
    },
    /// A field or an enum value was removed without being reserved, so it could be used again.
    #[error(
        "{part} of {of} was removed, and its number {number} could be reused: write `reserved({number})` and `reserved_names(\"{part}\")`"
    )]
    NotReserved {
        /// The full name of the message or enum.
        of: String,
        /// The removed field or value.
        part: String,
        /// The number of the removed field or value.
        number: i32,
    },
    /// A number or name is no longer reserved.
    #[error("{of} no longer reserves {what}: names and numbers that were used stay reserved")]
    NotReservedAnyMore {
        /// The full name of the message or enum.
        of: String,
        /// The number or name.
        what: String,
    },
    /// A field or a value has a different number.
    #[error("{part} of {of} had the number {old} and has {new}: what was stored would mean something else")]
    Number {
        /// The full name of the message or enum.
        of: String,
        /// The field or value.
        part: String,
        /// The earlier number.
        old: i32,
        /// The new number.
        new: i32,
    },
    /// A field or a value has a different name.
    #[error("number {number} of {of} was called {old} and is called {new}: JSON knows it by its name")]
    Name {
        /// The full name of the message or enum.
        of: String,
        /// The number of the field or value.
        number: i32,
        /// The earlier name.
        old: String,
        /// The new name.
        new: String,
    },
    /// A field has a different type.
    #[error("{part} of {of} was {old} and is {new}: what was stored would mean something else")]
    Type {
        /// The full name of the message.
        of: String,
        /// The field.
        part: String,
        /// The earlier type.
        old: String,
        /// The new type.
        new: String,
    },
    /// Two fields were moved into one `oneof`.
    #[error("{one} and {other} of {of} are now in one oneof: where both are stored, one would be lost")]
    Together {
        /// The full name of the message.
        of: String,
        /// The first field.
        one: String,
        /// The second field.
        other: String,
    },
    /// Two fields of one `oneof` were separated.
    #[error("{one} and {other} of {of} are no longer in one oneof: a reader of one would miss the other")]
    Apart {
        /// The full name of the message.
        of: String,
        /// The first field.
        one: String,
        /// The second field.
        other: String,
    },
    /// A message is the data of a different resource type, or of a different scope.
    #[error("{name} was {old} and is {new}: the stored resources would not be found")]
    Resource {
        /// The full name of the message.
        name: String,
        /// The earlier type and scope.
        old: String,
        /// The new type and scope.
        new: String,
    },
}

debug_as_text!(Breaking);

impl Files {
    /// Returns the incompatible changes of these files against earlier ones.
    ///
    /// The earlier files are an encoded `FileDescriptorSet`, such as [`Files::descriptor_set`] returns.
    /// Packages that are not in the new files are ignored.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a descriptor set.
    pub fn breaking(&self, earlier: &[u8]) -> Result<Vec<Breaking>, DecodeError> {
        let old = FileSet::decode(earlier)?.file;
        let new: Vec<FileProto> = self.iter().map(File::wire).collect();
        let packages: Vec<&str> = self.iter().map(|file| file.package).collect();
        let old = old.into_iter().filter(|file| packages.contains(&file.package.as_str()));
        Ok(between(parts(old), &parts(new)))
    }
}

impl Breaking {
    /// Returns the incompatible changes between two sets of files.
    ///
    /// Both are an encoded `FileDescriptorSet`, as protobuf compilers write it. A type that is missing in the
    /// later set counts as removed.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not a descriptor set.
    pub fn between(earlier: &[u8], later: &[u8]) -> Result<Vec<Self>, DecodeError> {
        let files = |set: &[u8]| Ok::<_, DecodeError>(parts(FileSet::decode(set)?.file));
        Ok(between(files(earlier)?, &files(later)?))
    }
}

fn between(old: BTreeMap<String, Whole>, new: &BTreeMap<String, Whole>) -> Vec<Breaking> {
    let mut breaking = Vec::new();
    for (name, old_whole) in old {
        match new.get(&name) {
            Some(is) => compare(&name, &old_whole, is, &mut breaking),
            // Extensions and their types are written by hand, and are not in generated files.
            None if old_whole.is_by_hand => {}
            None => breaking.push(Breaking::Gone { name }),
        }
    }
    breaking
}

/// The parts of a message or an enum that compatibility depends on.
struct Whole {
    /// The name, number and type of each field or value.
    parts: Vec<(String, i32, String)>,
    /// The numbers of the fields of each `oneof`.
    oneofs: Vec<Vec<i32>>,
    /// The reserved numbers, as inclusive ranges.
    reserved: Vec<(i32, i32)>,
    reserved_names: Vec<String>,
    resource: String,
    is_by_hand: bool,
}

fn parts(files: impl IntoIterator<Item = FileProto>) -> BTreeMap<String, Whole> {
    let mut definitions = BTreeMap::new();
    for file in files {
        let is_by_hand = file.name == super::files::ANNOTATIONS;
        for enumeration in &file.enum_type {
            definitions
                .insert(format!("{}.{}", file.package, enumeration.name), from_enum(enumeration, is_by_hand));
        }
        // Messages can be nested.
        let mut waiting: Vec<_> =
            file.message_type.iter().map(|message| (file.package.clone(), message)).collect();
        while let Some((outer, message)) = waiting.pop() {
            let name = format!("{outer}.{}", message.name);
            for enumeration in &message.enum_type {
                definitions
                    .insert(format!("{name}.{}", enumeration.name), from_enum(enumeration, is_by_hand));
            }
            let nested = message.nested_type.iter().filter(|nested| !is_entry(nested));
            waiting.extend(nested.map(|nested| (name.clone(), nested)));
            let definition = from_message(&name, message, is_by_hand);
            definitions.insert(name, definition);
        }
    }
    definitions
}

fn from_message(name: &str, message: &MessageProto, is_by_hand: bool) -> Whole {
    let describe_field = |field: &FieldProto| (field.name.clone(), field.number, field_type(message, field));
    let spec = message.options.as_ref().and_then(|options| options.spec.as_ref());
    let scopes = ["of no scope", "cluster scoped", "partition scoped", "namespace scoped"];
    let resource = spec.map_or_else(
        || "no resource".to_owned(),
        |spec| {
            let scope = usize::try_from(spec.scope).ok().and_then(|scope| scopes.get(scope));
            // Without an explicit type, the name of the message determines it.
            let implied = name.strip_prefix("converge.").unwrap_or(name);
            let type_name = if spec.r#type.is_empty() { implied } else { &spec.r#type };
            format!("{type_name}, {}", scope.copied().unwrap_or(scopes[0]))
        },
    );
    let oneof = |at: i32| {
        let fields = message.field.iter().filter(move |field| field.oneof_index == Some(at));
        fields.map(|field| field.number).collect()
    };
    Whole {
        parts: message.field.iter().map(describe_field).collect(),
        oneofs: (0..).zip(&message.oneof_decl).map(|(at, _)| oneof(at)).collect(),
        reserved: message.reserved_range.iter().map(|range| ends(range, 1)).collect(),
        reserved_names: message.reserved_name.clone(),
        resource,
        is_by_hand,
    }
}

fn from_enum(enumeration: &EnumProto, is_by_hand: bool) -> Whole {
    let parts =
        enumeration.value.iter().map(|value| (value.name.clone(), value.number.unwrap_or(0), String::new()));
    Whole {
        parts: parts.collect(),
        oneofs: Vec::new(),
        reserved: enumeration.reserved_range.iter().map(|range| ends(range, 0)).collect(),
        reserved_names: enumeration.reserved_name.clone(),
        resource: String::new(),
        is_by_hand,
    }
}

fn ends(range: &Range, beyond: i32) -> (i32, i32) {
    (range.start.unwrap_or(0), range.end.unwrap_or(0).saturating_sub(beyond))
}

/// Returns whether a message is the entry of a map, which is part of the type of a field.
fn is_entry(nested: &MessageProto) -> bool {
    nested.options.as_ref().is_some_and(|options| options.map_entry)
}

/// Returns the type of a field as in `.proto` files.
fn field_type(message: &MessageProto, field: &FieldProto) -> String {
    let is_of = |entry: &MessageProto| field.type_name.ends_with(&format!(".{}", entry.name));
    let entry = message.nested_type.iter().find(|entry| is_entry(entry) && is_of(entry));
    if let Some([key, value]) = entry.map(|entry| entry.field.as_slice()) {
        return format!("map<{}, {}>", field_type(message, key), field_type(message, value));
    }
    let scalars = [
        "", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group",
        "", "bytes", "uint32", "", "sfixed32", "sfixed64", "sint32", "sint64",
    ];
    let scalar = usize::try_from(field.r#type).ok().and_then(|number| scalars.get(number));
    let name = match field.type_name.trim_start_matches('.') {
        "" => scalar.copied().unwrap_or_default(),
        name => name,
    };
    match (field.label, field.proto3_optional) {
        (super::encode::LABEL_REPEATED, _) => format!("repeated {name}"),
        (_, true) => format!("optional {name}"),
        _ if field.oneof_index.is_some() => format!("{name} in a oneof"),
        _ => name.to_owned(),
    }
}

fn compare(name: &str, old: &Whole, new: &Whole, breaking: &mut Vec<Breaking>) {
    let owner = || name.to_owned();
    for (part_name, number, ty) in &old.parts {
        let by_number = new.parts.iter().find(|(_, new, _)| new == number);
        let by_name = new.parts.iter().find(|(new, ..)| new == part_name);
        match (by_number, by_name) {
            (Some((_, _, new)), Some(_)) if new != ty => {
                let (part_name, old, new) = (part_name.clone(), ty.clone(), new.clone());
                breaking.push(Breaking::Type { of: owner(), part: part_name, old, new });
            }
            (_, Some((_, new, _))) if new != number => {
                breaking.push(Breaking::Number {
                    of: owner(),
                    part: part_name.clone(),
                    old: *number,
                    new: *new,
                });
            }
            (Some((new, ..)), None) => {
                let (old, new) = (part_name.clone(), new.clone());
                breaking.push(Breaking::Name { of: owner(), number: *number, old, new });
            }
            (None, None) => {
                let in_ranges = new.reserved.iter().any(|(start, end)| (start..=end).contains(&number));
                if !in_ranges || !new.reserved_names.contains(part_name) {
                    breaking.push(Breaking::NotReserved {
                        of: owner(),
                        part: part_name.clone(),
                        number: *number,
                    });
                }
            }
            _ => {}
        }
    }
    compare_oneofs(name, old, new, breaking);
    for (start, end) in &old.reserved {
        if !new.reserved.iter().any(|(new_start, new_end)| new_start <= start && end <= new_end) {
            let description = if start == end {
                format!("the number {start}")
            } else {
                format!("the numbers {start} to {end}")
            };
            breaking.push(Breaking::NotReservedAnyMore { of: owner(), what: description });
        }
    }
    for lost_name in old.reserved_names.iter().filter(|name| !new.reserved_names.contains(name)) {
        breaking.push(Breaking::NotReservedAnyMore { of: owner(), what: format!("the name {lost_name}") });
    }
    if old.resource != new.resource {
        let (old, new) = (old.resource.clone(), new.resource.clone());
        breaking.push(Breaking::Resource { name: owner(), old, new });
    }
}

/// Reports the fields that were moved into or out of a `oneof`.
///
/// Each is reported once, with the first of the other fields.
fn compare_oneofs(name: &str, old: &Whole, new: &Whole, breaking: &mut Vec<Breaking>) {
    let together = |whole: &Whole, one: i32, other: i32| {
        whole.oneofs.iter().any(|oneof| oneof.contains(&one) && oneof.contains(&other))
    };
    let is_left = |number: i32| new.parts.iter().any(|(_, new, _)| *new == number);
    let fields: Vec<_> = old.parts.iter().filter(|(_, number, _)| is_left(*number)).collect();
    let mut reported_numbers = Vec::new();
    for (index, (one, number, _)) in fields.iter().enumerate() {
        let others = fields[index + 1..].iter().filter(|(_, other, _)| !reported_numbers.contains(other));
        let changed = others.clone().find_map(|(other, other_number, _)| {
            let is_together = together(new, *number, *other_number);
            (is_together != together(old, *number, *other_number)).then_some((
                other,
                *other_number,
                is_together,
            ))
        });
        let Some((other, other_number, is_together)) = changed else { continue };
        reported_numbers.push(other_number);
        let (message, first, second) = (name.to_owned(), one.clone(), other.clone());
        breaking.push(if is_together {
            Breaking::Together { of: message, one: first, other: second }
        } else {
            Breaking::Apart { of: message, one: first, other: second }
        });
    }
}
