//! The schemas that resources of all types share, and the schema of errors.

use serde_json::{Value, json};

/// The schema that a condition may refer to.
pub(super) const REFERENCE: &str = "converge.resource.Reference";
/// The schema of metadata.
pub(super) const METADATA: &str = "Metadata";
/// The schema of a status.
pub(super) const STATUS: &str = "Status";
/// The schema of an error response.
pub(super) const ERROR: &str = "Error";

/// Returns all shared schemas by name.
///
/// A condition may refer to the schema `mentioned`.
pub(super) fn schemas(mentioned: &Value) -> [(&'static str, Value); 3] {
    [(METADATA, metadata()), (STATUS, status(mentioned)), (ERROR, error())]
}

fn metadata() -> Value {
    json!({
        "type": "object",
        "additionalProperties": { "type": "string" },
        "description": "The metadata of a resource.",
    })
}

fn status(mentioned: &Value) -> Value {
    let text = json!({ "type": "string" });
    let condition = json!({
        "type": "object",
        "required": ["type", "state"],
        "properties": {
            "type": text,
            "state": { "type": "string", "enum": ["unknown", "true", "false"] },
            "reason": text,
            "message": text,
            "resource": mentioned,
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "description": "What a controller reports of a resource.",
        "required": ["observed_generation"],
        "properties": {
            "observed_generation": text,
            "conditions": { "type": "array", "items": condition },
            "updated_at": { "type": "string", "format": "date-time", "readOnly": true },
        },
        "additionalProperties": false,
    })
}

fn error() -> Value {
    let place = json!({ "type": ["string", "integer"] });
    let problem = json!({
        "type": "object",
        "required": ["path", "message"],
        "properties": { "path": { "type": "array", "items": place }, "message": { "type": "string" } },
    });
    let error = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {
            "code": { "type": "string" },
            "message": { "type": "string" },
            "problems": {
                "type": "array",
                "items": problem,
                "description": "The invalid places of the body.",
            },
        },
    });
    json!({ "type": "object", "required": ["error"], "properties": { "error": error } })
}
