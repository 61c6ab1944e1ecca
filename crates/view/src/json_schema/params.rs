//! The JSON Schema of parameter files.

use serde_json::{Map, Value, json};

use super::DRAFT;
use crate::graph::{Graph, ParamKind};
use crate::json::{self, ParamRecord};

/// Returns the JSON Schema of a parameter file for a module, with `name` in its title.
///
/// Each parameter is a property with type, default and description. The default of a sensitive parameter is
/// omitted. The file may name this schema as its `$schema`.
///
/// The schema does not check everything: conditions on parameters are only described in words.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
/// use converge_core::view::json_schema;
///
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).for_inspection().load_text("site.hcl", "param \"port\" {\n  type = \"number\"\n}\n");
/// let schema = json_schema::params("site.hcl", loaded.partial_graph());
/// assert_eq!(schema["required"][0], "port");
/// ```
pub fn params(name: &str, graph: &Graph) -> Value {
    let params = json::params(graph);
    let itself = json!({ "type": "string", "description": "Where this schema is. It is not a parameter." });
    let mut properties = Map::from_iter([("$schema".to_owned(), itself)]);
    properties.extend(params.iter().map(|param| (param.name.clone(), property(param))));
    let required: Vec<&str> =
        params.iter().filter(|param| param.required).map(|param| &*param.name).collect();
    json!({
        "$schema": DRAFT,
        "title": format!("Parameters of {name}"),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(param: &ParamRecord) -> Value {
    let mut schema = taken(&param.takes);
    let paragraphs = param.description.iter().cloned();
    let conditions = param.conditions.iter().map(|message| format!("Refused with: {message}"));
    let paragraphs: Vec<String> = paragraphs.chain(conditions).collect();
    if !paragraphs.is_empty() {
        schema.insert("description".to_owned(), json!(paragraphs.join("\n\n")));
    }
    if let Some(default) = &param.default {
        schema.insert("default".to_owned(), default.clone());
    }
    if param.sensitive {
        schema.insert("writeOnly".to_owned(), json!(true));
    }
    Value::Object(schema)
}

/// Returns the schema of the values that a type accepts.
fn taken(kind: &ParamKind) -> Map<String, Value> {
    let schema = match kind {
        ParamKind::Any => json!({}),
        ParamKind::String => json!({ "type": ["string", "number", "boolean"] }),
        ParamKind::Number => json!({ "type": ["number", "string"] }),
        ParamKind::Bool => json!({ "type": ["boolean", "string"] }),
        ParamKind::List(item) => json!({ "type": "array", "items": taken(item) }),
        ParamKind::Map(item) => json!({ "type": "object", "additionalProperties": taken(item) }),
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}
