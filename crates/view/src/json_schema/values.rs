//! The JSON Schema of field values.

use serde_json::{Map, Value, json};

use super::rules;
use crate::types::schema::{BlockKind, Field, Kind};

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

pub(super) fn block(kind: &BlockKind) -> Map<String, Value> {
    let mut properties = Map::new();
    for field in &kind.fields {
        properties.insert(field.name.to_owned(), self::field(field));
        for alias in field.aliases {
            properties.insert((*alias).to_owned(), self::alias(field));
        }
    }
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(properties));
    object.insert("additionalProperties".to_owned(), json!(false));
    let required = |field: &&Field| field.required;
    let required_fields = kind.fields.iter().filter(required).filter(|field| field.aliases.is_empty());
    let names: Vec<_> = required_fields.map(|field| field.name).collect();
    if !names.is_empty() {
        object.insert("required".to_owned(), json!(names));
    }
    let renamed = kind.fields.iter().filter(required).filter(|field| !field.aliases.is_empty());
    let rules = renamed.map(|field| rules::one_of(&[field])).chain(rules::all(kind));
    let rules: Vec<Value> = rules.collect();
    if !rules.is_empty() {
        object.insert("allOf".to_owned(), json!(rules));
    }
    object
}

pub(super) fn field(field: &Field) -> Value {
    let mut schema = taken(field);
    let mut set = |name: &str, value: Value| schema.insert(name.to_owned(), value);
    if !field.doc.is_empty() {
        set("description", json!(field.doc));
    }
    if let Some(default) = &field.default {
        set("default", json!(default));
    }
    if field.deprecated.is_some() {
        set("deprecated", json!(true));
    }
    if field.sensitive {
        set("writeOnly", json!(true));
    }
    Value::Object(schema)
}

fn alias(field: &Field) -> Value {
    let mut schema = taken(field);
    schema.insert("description".to_owned(), json!(format!("A former name of `{}`.", field.name)));
    schema.insert("deprecated".to_owned(), json!(true));
    Value::Object(schema)
}

/// Returns the schema of the values that a field accepts, including expressions.
fn taken(field: &Field) -> Map<String, Value> {
    let mut schema = match kind(&field.kind, Some(field)) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    match (&field.kind, field.nonempty) {
        (Kind::List(_) | Kind::OneOrMany(_), true) => drop(schema.insert("minItems".to_owned(), json!(1))),
        (Kind::Map(_), true) => drop(schema.insert("minProperties".to_owned(), json!(1))),
        _ => {}
    }
    schema
}

/// Returns the schema of one value, with the attributes of its field.
fn one(kind: &Kind, field: &Field) -> Value {
    if !field.valid_values.is_empty() {
        return Value::Object(or_expression(&json!({ "enum": words(kind, field) })));
    }
    let Value::Object(mut schema) = self::kind(kind, None) else { return json!({}) };
    // Constraints on numbers do not affect texts in JSON Schema, and vice versa.
    let mut set = |name: &str, value: Value| schema.insert(name.to_owned(), value);
    if let Some(min) = field.min {
        set("minimum", number(min));
    }
    if let Some(max) = field.max {
        set("maximum", number(max));
    }
    // For a list or a map, `nonempty` does not concern the items.
    match (&field.kind, field.nonempty) {
        (Kind::String, true) => drop(set("minLength", json!(1))),
        (Kind::Int { .. } | Kind::Float | Kind::Duration, true) => drop(set("not", json!({ "const": 0 }))),
        _ => {}
    }
    match field.pattern {
        Some(pattern) => {
            schema.insert("pattern".to_owned(), json!(pattern));
            Value::Object(or_expression(&Value::Object(schema)))
        }
        None => Value::Object(schema),
    }
}

/// Returns the `valid_values`, as numbers if the field takes numbers.
fn words(kind: &Kind, field: &Field) -> Vec<Value> {
    let numbers = matches!(kind, Kind::Int { .. });
    let number = |word: &&str| word.parse::<i64>().ok().filter(|_| numbers).map(|number| json!(number));
    let numbers = field.valid_values.iter().filter_map(number);
    numbers.chain(field.valid_values.iter().map(|word| json!(word))).collect()
}

fn or_expression(schema: &Value) -> Map<String, Value> {
    Map::from_iter([("anyOf".to_owned(), json!([schema, reference("expression")]))])
}

/// Returns a bound as a number, without a zero fraction.
fn number(bound: f64) -> Value {
    match format!("{bound}").parse::<i64>() {
        Ok(integer) => json!(integer),
        Err(_) => json!(bound),
    }
}

/// Returns the schema of a kind, with the attributes of the field for each value in it.
fn kind(kind: &Kind, field: Option<&Field>) -> Value {
    let or_expression = |schema: &Value| Value::Object(or_expression(schema));
    let item_schema = |item: &Kind| self::kind(item, field);
    match kind {
        Kind::List(_) | Kind::OneOrMany(_) | Kind::Map(_) | Kind::Block(_) => {}
        kind => {
            if let Some(field) = field {
                return one(kind, field);
            }
        }
    }
    match kind {
        Kind::Any => json!({}),
        Kind::String => json!({ "type": ["string", "number", "boolean"] }),
        Kind::Bool => json!({ "type": ["boolean", "string"] }),
        Kind::Int { min, max } => {
            let mut schema = json!({ "type": ["integer", "string"] });
            // The 64-bit bounds are omitted, because most readers have them anyway.
            if let (Ok(min), Ok(max)) = (i32::try_from(*min), u32::try_from(*max)) {
                schema["minimum"] = json!(min);
                schema["maximum"] = json!(max);
            }
            schema
        }
        Kind::Float => json!({ "type": ["number", "string"] }),
        Kind::Duration => json!({ "type": ["string", "integer"], "minimum": 0 }),
        Kind::Time => json!({ "type": "string" }),
        Kind::Enum(words) => or_expression(&json!({ "enum": words })),
        Kind::List(item) => {
            let list = json!({ "type": "array", "items": item_schema(item) });
            match **item {
                // A block that is written once is not a list.
                Kind::Block(_) => json!({ "anyOf": [item_schema(item), list] }),
                _ => or_expression(&list),
            }
        }
        Kind::OneOrMany(item) => {
            let element = item_schema(item);
            json!({ "anyOf": [element, { "type": "array", "items": element }, reference("expression")] })
        }
        Kind::Map(item) => {
            or_expression(&json!({ "type": "object", "additionalProperties": item_schema(item) }))
        }
        Kind::Block(fields) => Value::Object(block(fields)),
    }
}
