//! The JSON Schema of plans and reports.

use serde_json::{Value, json};

use super::document::{PLAN, REPORT};
use crate::sdk::status::StatusLevel;
use crate::{HeldBy, LockKind, Outcome, Stage};

/// Returns a JSON Schema (2020-12) of the documents that plans and reports are serialized to.
///
/// It describes what this version writes. Documents of a later version with the same first number may have
/// more fields.
pub fn json_schema() -> Value {
    let mut properties = json!({
        "document": { "enum": [PLAN, REPORT], "description": "What the document is." },
        "version": {
            "type": "string",
            "pattern": "^1\\.",
            "description": "The version of the document. What has another first number is refused.",
        },
        "run": { "type": "string", "description": "The name of the run." },
        "mode": { "enum": ["plan", "apply"], "description": "Whether the run could change the machine." },
        "summary": { "$ref": "#/$defs/summary" },
        "resources": {
            "type": "array",
            "items": { "$ref": "#/$defs/resource" },
            "description": "The resources, sorted by id; and parameters and parts of the structure that failed.",
        },
    });
    let required = names(&properties);
    properties["outputs"] = json!({
        "type": "array",
        "items": { "$ref": "#/$defs/output" },
        "description": "The values that the root module gives, sorted by name. Since version 1.2.",
    });
    properties["labels"] = json!({
        "type": "object",
        "description": "What the application keeps with a plan.",
    });
    properties["basis"] = json!({ "$ref": "#/$defs/basis" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A plan or report of converge",
        "type": "object",
        "properties": properties,
        "required": required,
        "$defs": {
            "id": { "type": "string", "pattern": "^root(/|$)", "description": "The path of a node." },
            "seconds": { "type": "number", "minimum": 0 },
            "summary": summary(),
            "resource": resource(),
            "output": output(),
            "difference": difference(),
            "side": side(),
            "failure": failure(),
            "waited": waited(),
            "digest": { "type": "string", "pattern": "^[0-9a-f]+$", "description": "HMAC-SHA256 with the key of the plan." },
            "basis": basis(),
            "skipped": object(
                json!({ "cause": { "$ref": "#/$defs/id" }, "reason": { "type": "string" } }),
                &["cause", "reason"],
            ),
        },
    })
}

fn names(properties: &Value) -> Vec<String> {
    properties.as_object().map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

fn object(properties: Value, required: &[&str]) -> Value {
    let mut schema = json!({ "type": "object" });
    schema["properties"] = properties;
    schema["required"] = json!(required);
    schema["additionalProperties"] = json!(false);
    schema
}

fn summary() -> Value {
    let counters =
        ["unchanged", "will_change", "may_change", "changed", "failed", "skipped", "not_run", "not_taken"];
    let mut properties = json!({});
    for counter in counters {
        properties[counter] = json!({ "type": "integer", "minimum": 0 });
    }
    properties["elapsed_seconds"] = json!({ "$ref": "#/$defs/seconds" });
    let required = names(&properties);
    // Documents of earlier versions have none of these.
    for counter in ["changes", "forgiven", "left_out"] {
        properties[counter] = json!({ "type": "integer", "minimum": 0 });
    }
    properties["is_booting"] = json!({ "type": "boolean" });
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    object(properties, &required)
}

fn resource() -> Value {
    let texts = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let properties = json!({
        "id": { "$ref": "#/$defs/id" },
        "type": { "type": "string", "description": "The type of the resource, such as `file.content`." },
        "role": { "enum": ["resource", "param", "output", "module", "begin", "switch", "case", "for-each"] },
        "outcome": { "enum": Outcome::ALL },
        "level": { "enum": StatusLevel::ALL },
        "health": { "enum": ["healthy", "warning", "error"] },
        "differences": { "type": "array", "items": { "$ref": "#/$defs/difference" } },
        "messages": texts("The messages of the resource."),
        "announces": { "type": "boolean", "description": "Whether the messages are to be read also when nothing is changed." },
        "warnings": texts("What the resource warns of."),
        "failure": { "$ref": "#/$defs/failure" },
        "optional": { "type": "boolean", "description": "Whether a run in which it fails is a success all the same." },
        "skipped": { "$ref": "#/$defs/skipped" },
        "pending": { "$ref": "#/$defs/id" },
        "waited": {
            "type": "array",
            "items": { "$ref": "#/$defs/waited" },
            "description": "The locks that an apply had to wait for, in the order of the waits. Since version 1.1.",
        },
        "elapsed_seconds": { "$ref": "#/$defs/seconds" },
        "exports": {
            "type": "object",
            "description": "The exports of the resource, without secret and unknown values.",
        },
    });
    object(properties, &["id", "type", "role", "outcome", "level", "elapsed_seconds"])
}

fn output() -> Value {
    let properties = json!({
        "name": { "type": "string" },
        "description": { "type": "string", "description": "The description of the value in the module." },
        "state": {
            "enum": ["known", "sensitive", "unknown", "missing"],
            "description": "Whether the value is there, is a secret, waits for an apply, or failed.",
        },
        "value": { "description": "The value, when it is known." },
    });
    object(properties, &["name", "state"])
}

fn waited() -> Value {
    let properties = json!({
        "lock": { "enum": LockKind::ALL },
        "name": { "type": "string", "description": "The name of the group, or of the lock of the type." },
        "held_by": { "enum": HeldBy::ALL, "description": "Who had it when the wait began." },
        "elapsed_seconds": { "$ref": "#/$defs/seconds" },
    });
    object(properties, &["lock", "held_by", "elapsed_seconds"])
}

fn difference() -> Value {
    let properties = json!({
        "name": { "type": "string", "description": "What differs: `mode`, `env.PATH`." },
        "field": { "type": "string", "description": "The field of the resource." },
        "before": { "$ref": "#/$defs/side" },
        "after": { "$ref": "#/$defs/side" },
        "changes": { "type": "boolean", "description": "Whether the two sides differ." },
        "refresh": { "type": "boolean", "description": "Whether this is a refresh; `after` names its cause." },
    });
    object(properties, &["name", "before", "after", "changes"])
}

fn side() -> Value {
    let text = |name: &str| object(json!({ name: { "type": "string" } }), &[name]);
    json!({
        "description": "A value as text, words in the place of one, a value that only an apply knows, or one that is not shown.",
        "oneOf": [text("known"), text("placeholder"), { "enum": ["unknown", "secret"] }],
    })
}

fn basis() -> Value {
    let digest = || json!({ "$ref": "#/$defs/digest" });
    let list = |properties: Value, required: &[&str]| json!({ "type": "array", "items": object(properties, required) });
    let name_and_digest =
        || list(json!({ "name": { "type": "string" }, "digest": digest() }), &["name", "digest"]);
    let properties = json!({
        "key": { "type": "string", "pattern": "^[0-9a-f]+$", "description": "The key of the digests of this plan." },
        "converge": { "type": "string", "description": "The version of converge that made the plan." },
        "owner": {
            "type": "string",
            "description": "The owner that the plan was made for; left out if the run had no owner.",
        },
        "sources": name_and_digest(),
        "params": list(
            json!({
                "name": { "type": "string" },
                "value": { "description": "The value that was given; left out when it is sensitive." },
                "digest": digest(),
            }),
            &["name", "digest"],
        ),
        "types": name_and_digest(),
        "graph": digest(),
        "targets": {
            "type": "array",
            "items": digest(),
            "description": "The selection of the plan by `target` and `tag`; left out if the plan has all resources.",
        },
        "left_out": {
            "type": "array",
            "items": digest(),
            "description": "The exclusions of the plan by `skip` and `skip_tag`; left out if there are none.",
        },
        "instances": {
            "type": "array",
            "items": { "type": "string" },
            "description": "Of these, the ids of what only a run knows, as an instance of a `for_each`; not there when there is none.",
        },
        "shown": list(
            json!({
                "node": digest(),
                "outcome": { "enum": Outcome::ALL },
                "changes": { "type": "array", "items": digest() },
                "refresh": { "type": "boolean" },
            }),
            &["node", "outcome"],
        ),
    });
    object(properties, &["key", "converge", "sources", "params", "types", "graph", "shown"])
}

fn failure() -> Value {
    let number = json!({ "type": "integer", "minimum": 1 });
    let label = object(
        json!({
            "file": { "type": "string" },
            "line": number,
            "column": number,
            "end_line": number,
            "end_column": number,
            "text": { "type": "string" },
        }),
        &["file", "line", "column", "end_line", "end_column", "text"],
    );
    let mistake = object(
        json!({
            "code": { "type": "string" },
            "severity": { "enum": ["error", "warning"] },
            "message": { "type": "string" },
            "labels": { "type": "array", "items": label },
            "help": { "type": "string" },
        }),
        &["code", "severity", "message"],
    );
    object(
        json!({
            "stage": { "enum": Stage::ALL },
            "message": { "type": "string" },
            "diagnostics": { "type": "array", "items": mistake },
        }),
        &["stage", "message"],
    )
}
