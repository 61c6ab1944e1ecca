//! The schemas of messages and fields in the JSON format of protobuf.

use prost_reflect::{Cardinality, FieldDescriptor, Kind, MessageDescriptor, OneofDescriptor};
use serde_json::{Value, json};

/// Returns a reference to a schema by its name.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Returns the schema of a field.
pub(super) fn field(field: &FieldDescriptor) -> Value {
    if field.is_map()
        && let Kind::Message(entry) = field.kind()
    {
        let values = kind(&entry.map_entry_value_field().kind());
        return json!({ "type": "object", "additionalProperties": values });
    }
    let schema = kind(&field.kind());
    match field.cardinality() {
        Cardinality::Repeated => json!({ "type": "array", "items": schema }),
        Cardinality::Optional | Cardinality::Required => schema,
    }
}

/// Returns a schema that allows at most one of the fields of a `oneof`.
///
/// Programs find the names in `required`.
pub(super) fn oneof(oneof: &OneofDescriptor) -> Value {
    let required_field = |field: FieldDescriptor| json!({ "required": [field.name()] });
    let mut choices: Vec<_> = oneof.fields().map(required_field).collect();
    choices.push(json!({ "not": { "anyOf": choices } }));
    json!({ "oneOf": choices })
}

fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::String => json!({ "type": "string" }),
        Kind::Bytes => json!({ "type": "string", "contentEncoding": "base64" }),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => json!({ "type": "integer", "format": "int32" }),
        Kind::Uint32 | Kind::Fixed32 => {
            json!({ "type": "integer", "format": "uint32", "minimum": 0 })
        }
        // Not every JSON parser has 64-bit numbers, so they are written as strings and accepted in both
        // forms.
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => {
            json!({ "type": ["string", "integer"], "format": "int64", "pattern": "^-?[0-9]+$" })
        }
        Kind::Uint64 | Kind::Fixed64 => {
            json!({ "type": ["string", "integer"], "format": "uint64", "pattern": "^[0-9]+$", "minimum": 0 })
        }
        Kind::Float => number("float"),
        Kind::Double => number("double"),
        Kind::Enum(it) => reference(it.full_name()),
        Kind::Message(message) => well_known(message).unwrap_or_else(|| reference(message.full_name())),
    }
}

fn number(format: &str) -> Value {
    json!({ "anyOf": [
        { "type": "number", "format": format },
        { "type": "string", "enum": ["NaN", "Infinity", "-Infinity"] },
    ] })
}

/// Returns the schema of a protobuf message with a JSON form of its own.
pub(super) fn well_known(message: &MessageDescriptor) -> Option<Value> {
    let name = message.full_name().strip_prefix("google.protobuf.")?;
    Some(match name {
        "Timestamp" => json!({ "type": "string", "format": "date-time" }),
        "Duration" => json!({ "type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?s$" }),
        "FieldMask" => json!({ "type": "string" }),
        "Struct" => json!({ "type": "object" }),
        "ListValue" => json!({ "type": "array" }),
        "Value" => json!({}),
        "Any" => {
            json!({ "type": "object", "required": ["@type"], "properties": { "@type": { "type": "string" } } })
        }
        _ if name.ends_with("Value") => message.get_field(1).map(|value| kind(&value.kind()))?,
        _ => return None,
    })
}
