//! The rules for the files of a definition.

use std::collections::BTreeMap;

use converge_controller::protobuf::Breaking;
use converge_controller::{Scope, Type};
use prost_reflect::{
    DescriptorPool, EnumDescriptor, ExtensionDescriptor, FieldDescriptor, FileDescriptor, Kind,
    MessageDescriptor, Syntax, Value,
};

use super::compile_error::CompileError;

/// The maximum number of messages and enums in a definition.
const DECLARATIONS: usize = 1_000;

/// The messages of protobuf itself that always have a JSON form.
const KNOWN: [&str; 16] = [
    "BoolValue",
    "BytesValue",
    "DoubleValue",
    "Duration",
    "Empty",
    "FieldMask",
    "FloatValue",
    "Int32Value",
    "Int64Value",
    "ListValue",
    "StringValue",
    "Struct",
    "Timestamp",
    "UInt32Value",
    "UInt64Value",
    "Value",
];

/// The field numbers of a file descriptor, which locate a source position.
const PACKAGE: i32 = 2;
const SERVICE: i32 = 6;
const EXTENSION: i32 = 7;

/// The results of the check.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) types: Vec<(Type, Scope, MessageDescriptor)>,
    pub(super) mistakes: Vec<CompileError>,
}

/// Returns the line and column of an element.
fn place(file: &FileDescriptor, path: &[i32]) -> Option<(usize, usize)> {
    let info = file.file_descriptor_proto().source_code_info.as_ref()?;
    let location = info.location.iter().find(|location| location.path == path)?;
    let position =
        |index: usize| location.span.get(index).and_then(|at| usize::try_from(*at).ok()).map(|at| at + 1);
    Some((position(0)?, position(1)?))
}

/// Checks the files of a group.
pub(super) fn check(group: &str, files: impl Iterator<Item = FileDescriptor>, checked: &mut Checked) {
    let mut declarations = 0;
    for file in files {
        check_file(group, &file, checked);
        let mut waiting: Vec<_> = file.messages().collect();
        declarations += file.enums().len();
        while let Some(message) = waiting.pop() {
            check_message(group, &message, checked);
            let nested = message.child_messages().filter(|nested| !nested.is_map_entry());
            waiting.extend(nested);
            declarations += 1 + message.child_enums().len();
        }
    }
    if declarations > DECLARATIONS {
        let message =
            format!("has {declarations} messages and enums: a definition has at most {DECLARATIONS}");
        checked.mistakes.push(CompileError::whole(message));
    }
    if checked.types.is_empty() && checked.mistakes.is_empty() {
        checked.mistakes.push(CompileError::whole(
            "no message is a resource: import \"converge/resource/annotations.proto\", and write `option (converge.resource.spec) = { scope: SCOPE_NAMESPACE };` into one",
        ));
    }
    check_conflicts(checked);
}

fn check_file(group: &str, file: &FileDescriptor, checked: &mut Checked) {
    let mut refuse = |path: &[i32], message: String| {
        checked.mistakes.push(CompileError::at(file.name(), place(file, path), message));
    };
    if file.syntax() != Syntax::Proto3 {
        refuse(
            &[12],
            "the syntax has to be proto3: write `syntax = \"proto3\";` in the first line".to_owned(),
        );
    }
    let prefix = format!("converge.{group}.");
    if !file.package_name().starts_with(&prefix) {
        let package = file.package_name();
        let message = format!(
            "the package is {package:?}: those of the group {group}, of which this definition is by its name, begin with {prefix:?}, such as {prefix}v1"
        );
        refuse(&[PACKAGE], message);
    }
    for (service, index) in file.services().zip(0..) {
        let message =
            format!("{} is a service: a definition has messages and enums alone", service.full_name());
        refuse(&[SERVICE, index], message);
    }
    for (extension, index) in file.extensions().zip(0..) {
        refuse(&[EXTENSION, index], no_extension(&extension));
    }
}

fn no_extension(extension: &ExtensionDescriptor) -> String {
    format!("{} is an extension: a definition has messages and enums alone", extension.full_name())
}

fn check_message(group: &str, message: &MessageDescriptor, checked: &mut Checked) {
    let file = message.parent_file();
    for extension in message.child_extensions() {
        checked.mistakes.push(CompileError::at(
            file.name(),
            place(&file, extension.path()),
            no_extension(&extension),
        ));
    }
    for field in message.fields() {
        if let Some(problem) = unsupported(&field) {
            checked.mistakes.push(CompileError::at(file.name(), place(&file, field.path()), problem));
        }
    }
    match resource(group, message) {
        Ok(Some((resource_type, scope))) => checked.types.push((resource_type, scope, message.clone())),
        Ok(None) => {}
        Err(problem) => {
            checked.mistakes.push(CompileError::at(file.name(), place(&file, message.path()), problem));
        }
    }
}

/// Returns the reason why data cannot have such a field, or `None` if it is supported.
fn unsupported(field: &FieldDescriptor) -> Option<String> {
    let kind = match field.kind() {
        Kind::Message(entry) if entry.is_map_entry() => entry.map_entry_value_field().kind(),
        kind => kind,
    };
    let name = field.full_name();
    if let Some(to) = refers_to(field)
        && let Err(error) = to.parse::<Type>()
    {
        return Some(format!("{name} refers to no type: {error}"));
    }
    let Kind::Message(message) = kind else { return None };
    let full_name = message.full_name();
    if let Some(short_name) = full_name.strip_prefix("google.protobuf.") {
        let instead = "write a message of your own, or google.protobuf.Struct for what has no form";
        return (!KNOWN.contains(&short_name))
            .then(|| format!("{name} holds {full_name}, which resources cannot: {instead}"));
    }
    // The contents of such a field have no declared type.
    let is_any = full_name == "converge.resource.Resource";
    is_any.then(|| {
        format!(
            "{name} holds {full_name}, which resources cannot: refer to it with converge.resource.Reference"
        )
    })
}

fn refers_to(field: &FieldDescriptor) -> Option<String> {
    let extension = field.parent_pool().get_extension_by_name("converge.resource.refers_to")?;
    let options = field.options();
    match options.get_extension(&extension).as_ref() {
        Value::String(to) if !to.is_empty() => Some(to.clone()),
        _ => None,
    }
}

/// Returns the type and scope of a resource message, or `None` for other messages.
fn resource(group: &str, message: &MessageDescriptor) -> Result<Option<(Type, Scope)>, String> {
    let pool = message.parent_pool();
    let Some(extension) = pool.get_extension_by_name("converge.resource.spec") else { return Ok(None) };
    let options = message.options();
    if !options.has_extension(&extension) {
        return Ok(None);
    }
    let name = message.full_name();
    let spec = options.get_extension(&extension);
    let field = |name: &str| {
        let spec = spec.as_message()?;
        spec.get_field_by_name(name).map(std::borrow::Cow::into_owned)
    };
    let implied = name.strip_prefix("converge.").unwrap_or(name);
    if message.parent_message().is_some() {
        return Err(format!("{name} is a resource inside of another message: write it beside that"));
    }
    let type_text = field("type").and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    if !type_text.is_empty() && type_text != implied {
        return Err(format!(
            "the type of {name} is {type_text:?}, but the name of the message means {implied:?}: remove the type, or write {implied:?}"
        ));
    }
    let resource_type: Type = implied.parse().map_err(|error| {
        format!("{name} names no type: {error}; it is the package converge.{group}.VERSION and the kind")
    })?;
    let scope = match field("scope").and_then(|value| value.as_enum_number()) {
        Some(1) => Scope::Cluster,
        Some(2) => Scope::Partition,
        Some(3) => Scope::Namespace,
        _ => {
            let help = "write `scope: SCOPE_NAMESPACE`, SCOPE_PARTITION or SCOPE_CLUSTER in its spec";
            return Err(format!("{name} has no scope: {help}"));
        }
    };
    Ok(Some((resource_type, scope)))
}

/// Checks that the types do not conflict with each other.
fn check_conflicts(checked: &mut Checked) {
    checked.types.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    let mut kinds: BTreeMap<String, &(Type, Scope, MessageDescriptor)> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for entry in &checked.types {
        let (resource_type, scope, message) = entry;
        let mistake_at = |problem: String| {
            let file = message.parent_file();
            CompileError::at(file.name(), place(&file, message.path()), problem)
        };
        let (first, first_scope, _) =
            *kinds.entry(resource_type.kind.as_str().to_lowercase()).or_insert(entry);
        if first.kind != resource_type.kind {
            mistakes.push(mistake_at(format!("{resource_type} and {first} differ only in large and small letters, which URLs do not know: rename one of them")));
        } else if first_scope != scope {
            mistakes.push(mistake_at(format!("{resource_type} is {scope} scoped, and {first} is {first_scope} scoped: versions of one type share their resources")));
        }
    }
    checked.mistakes.extend(mistakes);
}

/// Returns the incompatible changes to earlier files, at places in the later files.
pub(super) fn breaks(earlier: &[u8], later: &[u8], pool: &DescriptorPool) -> Vec<CompileError> {
    let broken = match Breaking::between(earlier, later) {
        Ok(broken) => broken,
        Err(error) => {
            return vec![CompileError::whole(format!("the stored types cannot be compared: {error}"))];
        }
    };
    broken.iter().map(|broken| breaking(broken, pool)).collect()
}

fn breaking(broken: &Breaking, pool: &DescriptorPool) -> CompileError {
    let (owner, part) = match broken {
        Breaking::Gone { name } | Breaking::Resource { name, .. } => (name, ""),
        Breaking::NotReserved { of, .. } | Breaking::NotReservedAnyMore { of, .. } => (of, ""),
        Breaking::Number { of, part, .. } | Breaking::Type { of, part, .. } => (of, part.as_str()),
        Breaking::Name { of, new, .. } => (of, new.as_str()),
        Breaking::Together { of, one, .. } | Breaking::Apart { of, one, .. } => (of, one.as_str()),
    };
    let message = match broken {
        // The message uses the syntax of `.proto` files.
        Breaking::NotReserved { of, part, number } => format!(
            "{part} of {of} was removed, and its number {number} could be reused: write `reserved {number}; reserved \"{part}\";`"
        ),
        broken => broken.to_string(),
    };
    let of_message = |message: MessageDescriptor| {
        let field = message.get_field_by_name(part);
        let path = field.map_or_else(|| message.path().to_vec(), |field| field.path().to_vec());
        (message.parent_file(), path)
    };
    let of_enum = |it: EnumDescriptor| {
        let value = it.get_value_by_name(part);
        let path = value.map_or_else(|| it.path().to_vec(), |value| value.path().to_vec());
        (it.parent_file(), path)
    };
    let location = pool.get_message_by_name(owner).map(of_message);
    match location.or_else(|| pool.get_enum_by_name(owner).map(of_enum)) {
        Some((file, path)) => CompileError::at(file.name(), place(&file, &path), message),
        None => CompileError::whole(message),
    }
}
