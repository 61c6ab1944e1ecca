//! Formatting of a file as `.proto` text.

use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;

use super::files::File;
use super::{
    Declaration, EnumDescriptor, FieldDescriptor, FieldType, Label, Link, MessageDescriptor, Reserved, names,
};

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rust: Vec<_> = self.declarations.iter().map(Declaration::rust_name).collect();
        writeln!(f, "// Made of {}. Change that, not this.\n", rust.join(", "))?;
        writeln!(f, "syntax = \"proto3\";\n\npackage {};", self.package)?;
        if !self.imports.is_empty() {
            writeln!(f)?;
        }
        for import in &self.imports {
            writeln!(f, "import \"{import}\";")?;
        }
        for declaration in &self.declarations {
            writeln!(f)?;
            match declaration {
                Declaration::Message(it) => message(f, it)?,
                Declaration::Enum(it) => enumeration(f, it)?,
            }
        }
        Ok(())
    }
}

fn message(f: &mut fmt::Formatter<'_>, message: &MessageDescriptor) -> fmt::Result {
    comment(f, "", message.doc)?;
    writeln!(f, "message {} {{", message.name)?;
    if let Some(resource) = &message.resource {
        let (resource_type, scope) = (&resource.resource_type, resource.scope.to_string().to_uppercase());
        writeln!(f, "  option (converge.resource.spec) = {{")?;
        writeln!(f, "    type: \"{resource_type}\"")?;
        writeln!(f, "    scope: SCOPE_{scope}\n  }};")?;
    }
    if message.resource.is_some() && message.reserved != Reserved::default() {
        writeln!(f)?;
    }
    reserved(f, &message.reserved)?;
    if message.resource.is_some() || message.reserved != Reserved::default() {
        writeln!(f)?;
    }
    for together in message.fields.chunk_by(|one, next| one.oneof.is_some() && one.oneof == next.oneof) {
        let oneof = message.oneofs.iter().find(|oneof| together[0].oneof == Some(oneof.name));
        let Some(oneof) = oneof else {
            fields(f, "  ", message, together)?;
            continue;
        };
        comment(f, "  ", oneof.doc)?;
        writeln!(f, "  oneof {} {{", oneof.name)?;
        fields(f, "    ", message, together)?;
        writeln!(f, "  }}")?;
    }
    writeln!(f, "}}")
}

fn fields(
    f: &mut fmt::Formatter<'_>,
    indent: &str,
    message: &MessageDescriptor,
    fields: &[FieldDescriptor],
) -> fmt::Result {
    for field in fields {
        comment(f, indent, field.doc)?;
        let (kind, name, number) = (field_kind(message, field), field.name, field.number);
        let options = match field.shape.ty {
            FieldType::Reference(_, resource_type) => {
                format!(" [(converge.resource.refers_to) = \"{resource_type}\"]")
            }
            _ => String::new(),
        };
        writeln!(f, "{indent}{kind} {name} = {number}{options};")?;
    }
    Ok(())
}

fn enumeration(f: &mut fmt::Formatter<'_>, descriptor: &EnumDescriptor) -> fmt::Result {
    comment(f, "", descriptor.doc)?;
    writeln!(f, "enum {} {{", descriptor.name)?;
    reserved(f, &descriptor.reserved)?;
    if descriptor.reserved != Reserved::default() {
        writeln!(f)?;
    }
    for value in descriptor.in_order() {
        comment(f, "  ", value.doc)?;
        writeln!(f, "  {} = {};", value.name, value.number)?;
    }
    writeln!(f, "}}")
}

fn field_kind(message: &MessageDescriptor, field: &FieldDescriptor) -> String {
    let ty = match field.shape.ty {
        FieldType::Scalar(scalar) => scalar.as_str().to_owned(),
        FieldType::Message(link) | FieldType::Enum(link) | FieldType::Reference(link, _) => {
            type_name(message, link)
        }
    };
    match field.shape.label {
        Label::Single => ty,
        Label::Optional if is_message(field.shape.ty) => ty,
        Label::Optional => format!("optional {ty}"),
        Label::List => format!("repeated {ty}"),
        Label::Map(key) => format!("map<{}, {ty}>", key.as_str()),
    }
}

/// Returns whether a single value has an explicit presence without `optional`.
pub(super) fn is_message(ty: FieldType) -> bool {
    matches!(ty, FieldType::Message(_) | FieldType::Reference(..))
}

/// Returns the name of another type as used in a message.
///
/// A leading dot keeps the name from being resolved inside the package first.
fn type_name(message: &MessageDescriptor, link: Link) -> String {
    let is_map = |field: &&FieldDescriptor| matches!(field.shape.label, Label::Map(_));
    let hidden = message.fields.iter().filter(is_map).any(|field| names::entry(field.name) == link.name);
    if link.package == message.package && !hidden {
        link.name.to_owned()
    } else {
        format!(".{}.{}", link.package, link.name)
    }
}

fn comment(f: &mut fmt::Formatter<'_>, indent: &str, doc: &str) -> fmt::Result {
    for line in doc.lines() {
        let space = if line.is_empty() { "" } else { " " };
        writeln!(f, "{indent}//{space}{line}")?;
    }
    Ok(())
}

fn reserved(f: &mut fmt::Formatter<'_>, reserved: &Reserved) -> fmt::Result {
    let range = |range: &RangeInclusive<i32>| match (*range.start(), *range.end()) {
        (start, end) if start == end => start.to_string(),
        (start, end) => format!("{start} to {end}"),
    };
    if !reserved.numbers.is_empty() {
        let numbers: Vec<_> = reserved.numbers.iter().map(range).collect();
        writeln!(f, "  reserved {};", numbers.join(", "))?;
    }
    if !reserved.names.is_empty() {
        let names = reserved.names.iter().fold(String::new(), |mut names, name| {
            let comma = if names.is_empty() { "" } else { ", " };
            let _ = write!(names, "{comma}\"{name}\"");
            names
        });
        writeln!(f, "  reserved {names};")?;
    }
    Ok(())
}
