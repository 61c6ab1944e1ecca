//! Schemas and functions as JSON.

use serde_json::{Map, Value, json};

use crate::language::{expression, template};
use crate::sdk::registry::{Registry, ResourceType};
use crate::types::footprint::{FootprintRule, NameSource};
use crate::types::schema::{Condition, ExportField, Field, Kind, Rule, Schema, Shape};

/// Describes a resource type as one JSON object: `name`, `doc`, `fields`, `rules`, `exports`.
///
/// Attributes that do not apply to a field are omitted: a field without `required` is optional.
pub fn schema(schema: &Schema) -> Value {
    json!({
        "name": schema.name,
        "doc": schema.doc,
        "fields": fields(&schema.fields),
        "rules": schema.rules.iter().map(rule).collect::<Vec<_>>(),
        "exports": exports(&schema.exports),
    })
}

/// Describes the functions that modules can call, those of the program first.
///
/// Each is an object with `name`, `signature` and `doc`. Functions of the program have `purity` (`pure` or
/// `in-run`), and functions of the language have `example` and `result`. Functions for expressions have
/// `pipe` if templates can call them too: the form in which a value is piped into them. Functions for
/// templates alone have `"templates": "only"`.
pub fn functions(registry: &Registry) -> Vec<Value> {
    let records = registry.functions().iter().map(|function| {
        json!({
            "name": function.name(),
            "signature": function.signature(),
            "doc": function.doc(),
            "purity": function.purity(),
        })
    });
    let standard = expression::functions().map(|function| {
        let (example, result) = function.example();
        json!({
            "name": function.name(),
            "signature": function.signature(),
            "pipe": function.pipe(),
            "doc": function.doc(),
            "example": example,
            "result": result,
        })
    });
    let of_templates = template::functions().map(|function| {
        let (example, result) = function.example();
        json!({
            "name": function.name(),
            "signature": function.signature(),
            "templates": "only",
            "doc": function.doc(),
            "example": example,
            "result": result,
        })
    });
    records.chain(standard).chain(of_templates).collect()
}

/// Describes a resource type like [`schema`], with its abilities and its example module.
///
/// The additional keys are `refreshes`, `lock`, `batches`, `reads`, `changes`, `needs` and `example`.
pub fn resource_type(resource_type: &ResourceType) -> Value {
    let mut object = schema(resource_type.schema());
    object["refreshes"] = json!(resource_type.refreshes());
    object["batches"] = json!(resource_type.batches());
    object["reads"] = json!(resource_type.reads());
    object["changes"] = json!(resource_type.changes());
    if let Some(lock) = resource_type.lock() {
        object["lock"] = json!(lock);
    }
    if !resource_type.needs().is_empty() {
        object["needs"] = resource_type.needs().iter().map(|need| json!(need.type_name())).collect();
    }
    if !resource_type.schema().example.is_empty() {
        object["example"] = json!(resource_type.schema().example);
    }
    object
}

fn fields(fields: &[Field]) -> Vec<Value> {
    fields.iter().map(field).collect()
}

fn field(field: &Field) -> Value {
    let mut object = Map::new();
    let mut set = |name: &str, value: Value| object.insert(name.to_owned(), value);
    set("name", json!(field.name));
    set("doc", json!(field.doc));
    set("kind", kind(&field.kind));
    for (name, is_set) in
        [("required", field.required), ("nonempty", field.nonempty), ("sensitive", field.sensitive)]
    {
        if is_set {
            set(name, json!(true));
        }
    }
    for (name, texts) in [("aliases", field.aliases), ("valid_values", field.valid_values)] {
        if !texts.is_empty() {
            set(name, json!(texts));
        }
    }
    let optional = [
        ("default", field.default.as_ref().map(|value| json!(value))),
        ("min", field.min.map(|value| json!(value))),
        ("max", field.max.map(|value| json!(value))),
        ("pattern", field.pattern.map(|value| json!(value))),
        ("expects", field.expects.map(|value| json!(value))),
        ("base", field.base.map(|value| json!(value))),
        ("deprecated", field.deprecated.map(|value| json!(value))),
        ("footprint", field.has_footprint().then(|| field.footprint.iter().map(footprint).collect())),
        ("removes", field.removes.map(|value| json!(value))),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            set(name, value);
        }
    }
    Value::Object(object)
}

fn footprint(rule: &FootprintRule) -> Value {
    let mut object = json!({ "verb": rule.verb, "kind": rule.kind });
    if let Some(aspect) = rule.aspect {
        object["aspect"] = json!(aspect);
    }
    match rule.name {
        NameSource::Own(_) => {}
        NameSource::Field(field) => object["of"] = json!(field),
        NameSource::Fixed(name) => object["at"] = json!(name),
    }
    object
}

fn kind(kind: &Kind) -> Value {
    match kind {
        Kind::Any => json!({ "type": "any" }),
        Kind::String => json!({ "type": "string" }),
        Kind::Bool => json!({ "type": "bool" }),
        // Most JSON readers support numbers up to 64 bits, and the bounds of every integer type fit.
        Kind::Int { min, max } => {
            json!({ "type": "int", "min": i64::try_from(*min).ok(), "max": u64::try_from(*max).ok() })
        }
        Kind::Float => json!({ "type": "float" }),
        Kind::Duration => json!({ "type": "duration" }),
        Kind::Time => json!({ "type": "time" }),
        Kind::Enum(words) => json!({ "type": "enum", "values": words }),
        Kind::List(item) => json!({ "type": "list", "items": self::kind(item) }),
        Kind::OneOrMany(item) => json!({ "type": "one-or-many", "items": self::kind(item) }),
        Kind::Map(item) => json!({ "type": "map", "items": self::kind(item) }),
        Kind::Block(block) => json!({
            "type": "block",
            "fields": fields(&block.fields),
            "rules": block.rules.iter().map(rule).collect::<Vec<_>>(),
        }),
    }
}

fn conditions(conditions: &[Condition]) -> Vec<Value> {
    conditions.iter().map(|condition| json!({ "field": condition.field, "is": condition.is })).collect()
}

fn rule(rule: &Rule) -> Value {
    match rule {
        Rule::MutuallyExclusive(fields) => json!({ "rule": "mutually-exclusive", "fields": fields }),
        Rule::RequiredOneOf(fields) => json!({ "rule": "required-one-of", "fields": fields }),
        Rule::RequiredTogether(fields) => json!({ "rule": "required-together", "fields": fields }),
        Rule::Requires { field, needs } => json!({ "rule": "requires", "fields": [field, needs] }),
        Rule::ConflictsWith { field, other } => json!({ "rule": "conflicts-with", "fields": [field, other] }),
        Rule::RequiredIf { field, when } => {
            json!({ "rule": "required-if", "fields": [field], "conditions": conditions(when) })
        }
        Rule::RequiredUnless { field, unless } => {
            json!({ "rule": "required-unless", "fields": [field], "conditions": conditions(unless) })
        }
    }
}

fn exports(exports: &[ExportField]) -> Vec<Value> {
    exports.iter().map(export).collect()
}

fn export(export: &ExportField) -> Value {
    let mut value = json!({ "name": export.name, "doc": export.doc, "computed": export.computed });
    match &export.shape {
        Shape::Plain => value["shape"] = json!("plain"),
        Shape::Open => value["shape"] = json!("open"),
        Shape::Struct(fields) => {
            value["shape"] = json!("struct");
            value["fields"] = json!(exports(fields));
        }
    }
    value
}
