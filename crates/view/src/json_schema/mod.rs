//! Resource types as JSON Schema (draft 2020-12), for editors and programs that write modules.
//!
//! The schema describes modules as JSON. A type is a map from names to resources: `{"file.mode": {"motd":
//! {"mode": "0644"}}}`. A block is an object, and a repeated block is a list of objects. A template or an
//! expression is a text with its `{{ }}` or `${ }`, and may replace any value.

mod event;
mod params;
mod rules;
#[cfg(test)]
mod tests;
mod values;

use serde_json::{Map, Value, json};

use crate::sdk::registry::{Registry, ResourceType};
use crate::types::schema::BlockKind;
use converge_load::TypeTable;
use converge_load::meta_arguments;
use values::{block, reference};

pub use event::event;
pub use params::params;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The block types that have a syntax of their own.
const MODULE: &str = "module";
const SWITCH: &str = "switch";
const PARAM: &str = "param";
const OUTPUT: &str = "output";
const PLUGIN: &str = "plugin";

/// Returns the schema of one resource of a type.
pub fn resource_type(resource_type: &ResourceType) -> Value {
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DRAFT));
    schema.insert("title".to_owned(), json!(resource_type.name()));
    schema.extend(resource(resource_type));
    schema.insert("$defs".to_owned(), Value::Object(shared()));
    Value::Object(schema)
}

/// Returns the schema of a whole module with the types of a registry.
pub fn module(registry: &Registry) -> Value {
    let mut definitions = shared();
    let types = TypeTable::new(registry);
    for resource_type in types.iter() {
        definitions.insert(resource_type.name().to_owned(), Value::Object(resource(resource_type)));
    }
    let names = || types.iter().map(|resource_type| resource_type.name());
    let inside = names().filter(|name| ![MODULE, SWITCH, PARAM, OUTPUT, PLUGIN].contains(name));
    definitions.insert("resources".to_owned(), blocks(inside));
    definitions.insert("cases".to_owned(), cases());
    let mut schema = Map::new();
    schema.insert("$schema".to_owned(), json!(DRAFT));
    schema.insert("title".to_owned(), json!("A module of Converge"));
    if let Value::Object(mut blocks) = blocks(names()) {
        if let Some(Value::Object(properties)) = blocks.get_mut("properties") {
            let locals = json!({ "type": "object", "description": "Values with names, made of anything." });
            properties.insert("locals".to_owned(), locals);
        }
        schema.extend(blocks);
    }
    schema.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(schema)
}

/// Returns the schema of blocks of these types, by type and name.
fn blocks<'a>(types: impl Iterator<Item = &'a str>) -> Value {
    let block = |name: &str| {
        let map_of = |inner: Value| json!({ "type": "object", "additionalProperties": inner });
        match name {
            // `module "SOURCE" "NAME"`
            MODULE => map_of(map_of(reference(name))),
            SWITCH => map_of(reference("cases")),
            _ => map_of(reference(name)),
        }
    };
    let properties: Map<_, _> = types.map(|name| (name.to_owned(), block(name))).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// Returns the schema of `case "PREDICATE" "NAME" { .. }` and `default { .. }`.
fn cases() -> Value {
    let map_of = |inner: Value| json!({ "type": "object", "additionalProperties": inner });
    json!({
        "type": "object",
        "properties": { "case": map_of(map_of(reference("resources"))), "default": reference("resources") },
        "additionalProperties": false,
    })
}

/// Returns the schema of the fields and the meta-arguments of a resource.
fn resource(resource_type: &ResourceType) -> Map<String, Value> {
    let schema = resource_type.schema();
    let block_kind = BlockKind { fields: schema.fields.clone(), rules: schema.rules.clone() };
    let mut object = block(&block_kind);
    if !schema.doc.is_empty() {
        object.insert("description".to_owned(), json!(schema.doc));
    }
    let accepts = |argument: &str| match resource_type.name() {
        PARAM | PLUGIN | SWITCH => false,
        OUTPUT => argument == "depends",
        MODULE => ["depends", "when", "for_each", "tags"].contains(&argument),
        _ => argument != "on_change_of" || resource_type.refreshes(),
    };
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for argument in meta_arguments().fields {
            // A field takes precedence over a meta-argument of the same name.
            if accepts(argument.name) && !properties.contains_key(argument.name) {
                properties.insert(argument.name.to_owned(), reference(&format!("meta.{}", argument.name)));
            }
        }
    }
    object
}

/// Returns the definitions that the schemas of all types share.
fn shared() -> Map<String, Value> {
    let expression = json!({
        "type": "string",
        "pattern": r"\{\{|\$\{",
        "description": "A template or an expression, which gives the value.",
    });
    let mut shared = Map::from_iter([("expression".to_owned(), expression)]);
    for argument in meta_arguments().fields {
        shared.insert(format!("meta.{}", argument.name), values::field(&argument));
    }
    shared
}
