//! Generation of Rust source from protobuf descriptors.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use prost_reflect::{
    Cardinality, DescriptorPool, EnumDescriptor, FieldDescriptor, FileDescriptor, Kind, MessageDescriptor,
    OneofDescriptor, Value,
};

use crate::error::BuildError;
use crate::names::{ident, pascal, screaming};

/// The messages and enums that have a type in `converge-controller` or `std`, with its path.
const BUILTIN_TYPES: [(&str, &str); 11] = [
    ("google.protobuf.Any", "::converge_controller::Data"),
    ("google.protobuf.Duration", "::std::time::Duration"),
    ("google.protobuf.Timestamp", "::converge_controller::protobuf::Timestamp"),
    ("converge.resource.Condition", "::converge_controller::Condition"),
    ("converge.resource.ConditionState", "::converge_controller::ConditionState"),
    ("converge.resource.Id", "::converge_controller::Id"),
    ("converge.resource.Reference", "::converge_controller::Reference"),
    ("converge.resource.Resource", "::converge_controller::Resource"),
    ("converge.resource.Status", "::converge_controller::Status"),
    ("converge.resource.Tenancy", "::converge_controller::Tenancy"),
    ("converge.resource.Type", "::converge_controller::Type"),
];
/// The packages for which no code is generated.
const PREDEFINED_PACKAGES: [&str; 2] = ["google.protobuf", "converge.resource"];

/// Returns the Rust source of all files in a pool, with one module for each part of a package name.
pub(crate) fn source(pool: &DescriptorPool, hooks: &BTreeMap<String, String>) -> Result<String, BuildError> {
    let mut root = Module::default();
    let is_generated = |file: &FileDescriptor| !PREDEFINED_PACKAGES.contains(&file.package_name());
    for file in pool.files().filter(is_generated) {
        let mut module = &mut root;
        for segment in file.package_name().split('.') {
            module = module.inner.entry(segment.to_owned()).or_default();
        }
        for message in file.messages() {
            module.code.push_str(&self::message(pool, &message, hooks)?);
        }
        for descriptor in file.enums() {
            module.code.push_str(&enumeration(&descriptor)?);
        }
    }
    let header = "// Made by converge-controller-build of .proto files. Change these, not this.\n\n";
    Ok(header.to_owned() + &root.source())
}

/// A module of the generated code: its types, and its inner modules.
#[derive(Debug, Default)]
struct Module {
    code: String,
    inner: BTreeMap<String, Module>,
}

impl Module {
    fn source(&self) -> String {
        self.inner.iter().fold(self.code.clone(), |mut source, (name, inner)| {
            let _ = write!(source, "pub mod {} {{\n{}}}\n", ident(name), inner.source());
            source
        })
    }
}

fn message(
    pool: &DescriptorPool,
    message: &MessageDescriptor,
    hooks: &BTreeMap<String, String>,
) -> Result<String, BuildError> {
    let name = message.full_name();
    if let Some(nested) = message.child_messages().find(|nested| !nested.is_map_entry()) {
        return Err(unsupported(nested.full_name(), "write it beside the message that it is in"));
    }
    if let Some(nested) = message.child_enums().next() {
        return Err(unsupported(nested.full_name(), "write it beside the message that it is in"));
    }
    let resource = resource(pool, message)?;
    let (derive, mut attributes) = match &resource {
        Some(attributes) => ("StoredResource", attributes.clone()),
        None => ("StoredMessage", format!("package = {:?}", message.package_name())),
    };
    attributes += &reserved(
        message.reserved_ranges().map(|range| (i64::from(range.start), i64::from(range.end) - 1)),
        message.reserved_names(),
    );
    if let Some(hooks) = hooks.get(name) {
        let _ = write!(attributes, ", {hooks}");
    }
    let mut code = doc(&message.parent_file(), message.path(), "");
    let _ = writeln!(code, "#[derive(Clone, Debug, Default, PartialEq, ::converge_controller::{derive})]");
    let _ = writeln!(code, "#[stored({attributes})]\npub struct {} {{", message.name());
    let mut oneofs = String::new();
    for field in message.fields() {
        if let Some(oneof) = field.containing_oneof().filter(|oneof| !oneof.is_synthetic()) {
            // The field of the struct stands at the place of the first field of the oneof.
            if oneof.fields().map(|member| member.number()).min() == Some(field.number()) {
                code += &oneof_field(&oneof);
                oneofs += &self::oneof(pool, &oneof)?;
            }
            continue;
        }
        code += &doc(&message.parent_file(), field.path(), "    ");
        let (number, name, ty) = (field.number(), ident(field.name()), field_type(pool, &field)?);
        let _ = writeln!(code, "    #[stored(tag = {number})]\n    pub {name}: {ty},");
    }
    Ok(code + "}\n\n" + &oneofs)
}

/// Returns the name of the generated enum, such as `AlbumSource`.
fn oneof_name(oneof: &OneofDescriptor) -> String {
    format!("{}{}", oneof.parent_message().name(), pascal(oneof.name()))
}

/// Returns the struct field that holds the oneof.
fn oneof_field(oneof: &OneofDescriptor) -> String {
    let mut code = doc(&oneof.parent_file(), oneof.path(), "    ");
    let numbers: Vec<_> = oneof.fields().map(|field| field.number().to_string()).collect();
    let (numbers, name, ty) = (numbers.join(", "), ident(oneof.name()), oneof_name(oneof));
    let _ = writeln!(code, "    #[stored(oneof({numbers}))]\n    pub {name}: ::std::option::Option<{ty}>,");
    code
}

fn oneof(pool: &DescriptorPool, oneof: &OneofDescriptor) -> Result<String, BuildError> {
    let name = oneof_name(oneof);
    let message = oneof.parent_message();
    let full_name = format!("{}.{name}", message.package_name());
    if pool.get_message_by_name(&full_name).is_some() || pool.get_enum_by_name(&full_name).is_some() {
        let help = format!("its enum would be called {name}, as something else there: rename one of them");
        return Err(unsupported(oneof.full_name(), &help));
    }
    let mut code = format!("/// One of the fields `{}` of `{}`.\n", oneof.name(), message.name());
    code += "#[derive(Clone, Debug, PartialEq, ::converge_controller::StoredOneof)]\n";
    let _ = writeln!(code, "pub enum {name} {{");
    for field in oneof.fields() {
        code += &doc(&oneof.parent_file(), field.path(), "    ");
        let variant = match pascal(field.name()).as_str() {
            // `Self` is a reserved word in Rust.
            "Self" => "Self_".to_owned(),
            variant => variant.to_owned(),
        };
        let attribute = if screaming(&variant).to_lowercase() == field.name() {
            String::new()
        } else {
            format!(", name = {:?}", field.name())
        };
        let (number, held_type_name) = (field.number(), single_value_type(pool, &field)?);
        let _ = writeln!(code, "    #[stored(tag = {number}{attribute})]\n    {variant}({held_type_name}),");
    }
    Ok(code + "}\n\n")
}

/// Returns the Rust type of one value of a field, boxed if the type would contain itself.
fn single_value_type(pool: &DescriptorPool, field: &FieldDescriptor) -> Result<String, BuildError> {
    let value = value_type(pool, field, &field.kind())?;
    Ok(match field.kind() {
        Kind::Message(held) if reaches(&held, field.parent_message()) => {
            format!("::std::boxed::Box<{value}>")
        }
        _ => value,
    })
}

/// Returns the attributes of a resource, from the option `converge.resource.spec` of its message.
fn resource(pool: &DescriptorPool, message: &MessageDescriptor) -> Result<Option<String>, BuildError> {
    let Some(extension) = pool.get_extension_by_name("converge.resource.spec") else { return Ok(None) };
    let options = message.options();
    if !options.has_extension(&extension) {
        return Ok(None);
    }
    let spec = options.get_extension(&extension);
    let spec = spec.as_message();
    let field =
        |name: &str| spec.and_then(|spec| spec.get_field_by_name(name)).map(std::borrow::Cow::into_owned);
    let full_name = message.full_name();
    let implied = full_name.strip_prefix("converge.").unwrap_or(full_name);
    let type_name = field("type").and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default();
    let [group, version, kind] = implied.split('.').collect::<Vec<_>>()[..] else {
        return Err(unsupported(full_name, "the package of a resource is `converge.group.version`"));
    };
    if !full_name.starts_with("converge.") {
        let help =
            format!("resources of {group}.{version} are messages of the package converge.{group}.{version}");
        return Err(unsupported(full_name, &help));
    }
    if !type_name.is_empty() && type_name != implied {
        let help = format!(
            "its type is {type_name:?}, but the name of its message says {implied:?}: write them alike"
        );
        return Err(unsupported(full_name, &help));
    }
    let scope = match field("scope").and_then(|value| value.as_enum_number()) {
        Some(1) => "cluster",
        Some(2) => "partition",
        Some(3) => "namespace",
        _ => {
            return Err(unsupported(
                full_name,
                "it has no scope: write `scope: SCOPE_NAMESPACE` in its spec",
            ));
        }
    };
    Ok(Some(format!("group = {group:?}, version = {version:?}, kind = {kind:?}, scope = {scope}")))
}

fn field_type(pool: &DescriptorPool, field: &FieldDescriptor) -> Result<String, BuildError> {
    if let Kind::Message(entry) = field.kind()
        && field.is_map()
    {
        let key = value_type(pool, field, &entry.map_entry_key_field().kind())?;
        let value = value_type(pool, field, &entry.map_entry_value_field().kind())?;
        return Ok(format!("::std::collections::BTreeMap<{key}, {value}>"));
    }
    if field.cardinality() == Cardinality::Repeated {
        return Ok(format!("::std::vec::Vec<{}>", value_type(pool, field, &field.kind())?));
    }
    let rust_type = single_value_type(pool, field)?;
    let is_optional = matches!(field.kind(), Kind::Message(_)) || field.supports_presence();
    Ok(if is_optional { format!("::std::option::Option<{rust_type}>") } else { rust_type })
}

fn value_type(pool: &DescriptorPool, field: &FieldDescriptor, kind: &Kind) -> Result<String, BuildError> {
    Ok(match kind {
        Kind::Bool => "bool".to_owned(),
        Kind::Int32 => "i32".to_owned(),
        Kind::Int64 => "i64".to_owned(),
        Kind::Uint32 => "u32".to_owned(),
        Kind::Uint64 => "u64".to_owned(),
        Kind::Float => "f32".to_owned(),
        Kind::Double => "f64".to_owned(),
        Kind::String => "::std::string::String".to_owned(),
        Kind::Bytes => "::std::vec::Vec<u8>".to_owned(),
        Kind::Sint32 => "::converge_controller::protobuf::Sint<i32>".to_owned(),
        Kind::Sint64 => "::converge_controller::protobuf::Sint<i64>".to_owned(),
        Kind::Fixed32 => "::converge_controller::protobuf::Fixed<u32>".to_owned(),
        Kind::Fixed64 => "::converge_controller::protobuf::Fixed<u64>".to_owned(),
        Kind::Sfixed32 => "::converge_controller::protobuf::Fixed<i32>".to_owned(),
        Kind::Sfixed64 => "::converge_controller::protobuf::Fixed<i64>".to_owned(),
        Kind::Enum(held) => match known(held.full_name()) {
            Some((_, known)) => known.to_owned(),
            None => path(field, held.package_name(), held.name()),
        },
        Kind::Message(held) => match known(held.full_name()) {
            Some(("converge.resource.Reference", plain)) => refers_to(pool, field).map_or_else(
                || plain.to_owned(),
                |to| {
                    let (package, name) = to.rsplit_once('.').unwrap_or_default();
                    format!(
                        "::converge_controller::Ref<{}>",
                        path(field, &format!("converge.{package}"), name)
                    )
                },
            ),
            Some((_, known)) => known.to_owned(),
            None if PREDEFINED_PACKAGES.contains(&held.package_name()) => {
                return Err(unsupported(field.full_name(), "write a message of your own"));
            }
            None => path(field, held.package_name(), held.name()),
        },
    })
}

/// Returns the full name and the Rust path of a message or enum that has an existing type.
fn known(full_name: &str) -> Option<(&'static str, &'static str)> {
    BUILTIN_TYPES.into_iter().find(|(name, _)| *name == full_name)
}

/// Returns the type that a reference field points to, if its options name one.
fn refers_to(pool: &DescriptorPool, field: &FieldDescriptor) -> Option<String> {
    let extension = pool.get_extension_by_name("converge.resource.refers_to")?;
    let options = field.options();
    let to = options.get_extension(&extension);
    match to.as_ref() {
        Value::String(to) if !to.is_empty() => Some(to.clone()),
        _ => None,
    }
}

/// Returns the path of a type, seen from the module of the message that has the field.
fn path(field: &FieldDescriptor, package: &str, name: &str) -> String {
    let own_package = field.parent_message().package_name().to_owned();
    if own_package == package {
        return name.to_owned();
    }
    let modules: Vec<_> = package.split('.').map(ident).collect();
    format!("{}{}::{name}", "super::".repeat(own_package.split('.').count()), modules.join("::"))
}

/// Whether a message contains another one directly or indirectly, so that its size would be infinite.
fn reaches(from: &MessageDescriptor, to: &MessageDescriptor) -> bool {
    let mut visited = Vec::new();
    let mut waiting = vec![from.clone()];
    while let Some(message) = waiting.pop() {
        if message == *to {
            return true;
        }
        if visited.contains(&message) {
            continue;
        }
        let singles = message.fields().filter(|field| field.cardinality() != Cardinality::Repeated);
        waiting.extend(singles.filter_map(|field| field.kind().as_message().cloned()));
        visited.push(message);
    }
    false
}

fn enumeration(descriptor: &EnumDescriptor) -> Result<String, BuildError> {
    let prefix = screaming(descriptor.name()) + "_";
    let mut attributes = format!("package = {:?}", descriptor.package_name());
    attributes += &reserved(
        descriptor.reserved_ranges().map(|range| (i64::from(*range.start()), i64::from(*range.end()))),
        descriptor.reserved_names(),
    );
    let mut code = doc(&descriptor.parent_file(), descriptor.path(), "");
    code += "#[derive(Clone, Copy, Debug, PartialEq, Eq, ::converge_controller::StoredEnum)]\n";
    let _ = writeln!(code, "#[stored({attributes})]\npub enum {} {{", descriptor.name());
    for value in descriptor.values() {
        let variant = value.name().strip_prefix(&prefix).map(pascal);
        let Some(variant) =
            variant.filter(|variant| format!("{prefix}{}", screaming(variant)) == value.name())
        else {
            let help = format!("write a name in capitals that begins with {prefix}");
            return Err(unsupported(value.full_name(), &help));
        };
        code += &doc(&descriptor.parent_file(), value.path(), "    ");
        let _ = writeln!(code, "    {variant} = {},", value.number());
    }
    Ok(code + "}\n\n")
}

fn reserved<'a>(ranges: impl Iterator<Item = (i64, i64)>, names: impl Iterator<Item = &'a str>) -> String {
    let range = |(start, end)| if start == end { format!("{start}") } else { format!("{start}..={end}") };
    let ranges: Vec<_> = ranges.map(range).collect();
    let names: Vec<_> = names.map(|name| format!("{name:?}")).collect();
    let mut attributes = String::new();
    if !ranges.is_empty() {
        let _ = write!(attributes, ", reserved({})", ranges.join(", "));
    }
    if !names.is_empty() {
        let _ = write!(attributes, ", reserved_names({})", names.join(", "));
    }
    attributes
}

/// Returns the leading comment of a definition as a doc comment.
fn doc(file: &FileDescriptor, path: &[i32], indent: &str) -> String {
    let info = file.file_descriptor_proto().source_code_info.as_ref();
    let location = info.and_then(|info| info.location.iter().find(|location| location.path == path));
    let comment = location.and_then(|location| location.leading_comments.as_deref()).unwrap_or_default();
    comment.lines().fold(String::new(), |mut doc, line| {
        let _ = writeln!(doc, "{indent}///{}", line.trim_end());
        doc
    })
}

fn unsupported(subject: &str, help: &str) -> BuildError {
    BuildError::Unsupported { what: subject.to_owned(), help: help.to_owned() }
}
