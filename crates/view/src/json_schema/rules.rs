//! Rules between fields as JSON Schema.

use serde_json::{Value, json};

use crate::types::check::holds_unwritten;
use crate::types::schema::{BlockKind, Condition, Field, Rule, find_field};

/// Returns a schema for each rule of a block.
pub(super) fn all(block: &BlockKind) -> impl Iterator<Item = Value> + '_ {
    let fields = |names: &[&str]| -> Vec<&Field> {
        names.iter().filter_map(|name| find_field(&block.fields, name)).map(|(_, field)| field).collect()
    };
    block.rules.iter().flat_map(move |rule| match rule {
        Rule::MutuallyExclusive(names) => not_together(&fields(names)),
        Rule::RequiredOneOf(names) => vec![one_of(&fields(names))],
        Rule::RequiredTogether(names) => {
            let fields = fields(names);
            let needs = |field: &&Field| {
                let others = fields.iter().filter(|other| other.name != field.name);
                others.map(|other| needs(field, other)).collect::<Vec<_>>()
            };
            fields.iter().flat_map(needs).collect()
        }
        Rule::Requires { field, needs: other } => match fields(&[field, other])[..] {
            [field, other] => vec![needs(field, other)],
            _ => Vec::new(),
        },
        Rule::ConflictsWith { field, other } => not_together(&fields(&[field, other])),
        Rule::RequiredIf { field, when } => {
            let conditions: Vec<_> = when.iter().filter_map(|condition| holds(block, condition)).collect();
            let needs = |field: &Field| json!({ "if": { "anyOf": conditions }, "then": written(field) });
            fields(&[field]).into_iter().map(needs).collect()
        }
        // A value has many spellings, so any written value of the other field may make this field optional.
        Rule::RequiredUnless { unless, .. }
            if unless.iter().any(|condition| holds_unwritten(condition, &block.fields)) =>
        {
            Vec::new()
        }
        Rule::RequiredUnless { field, unless } => {
            let others = unless.iter().map(|condition| condition.field);
            vec![one_of(&fields(&std::iter::once(*field).chain(others).collect::<Vec<_>>()))]
        }
    })
}

/// Returns the schema for a condition that holds, as far as a plain value shows it.
fn holds(block: &BlockKind, condition: &Condition) -> Option<Value> {
    let (_, field) = find_field(&block.fields, condition.field)?;
    let Some(is) = condition.is else { return Some(written(field)) };
    let literal =
        serde_json::from_str::<Value>(is).ok().filter(|value| value.is_boolean() || value.is_number());
    let words: Vec<Value> = std::iter::once(json!(is)).chain(literal).collect();
    let names = std::iter::once(field.name).chain(field.aliases.iter().copied());
    let properties: serde_json::Map<_, _> =
        names.map(|name| (name.to_owned(), json!({ "enum": words }))).collect();
    let is_one = json!({ "properties": properties });
    if holds_unwritten(condition, &block.fields) {
        return Some(is_one);
    }
    Some(json!({ "allOf": [written(field), is_one] }))
}

/// Returns the schema for a written field, under any of its names.
fn written(field: &Field) -> Value {
    match field.aliases {
        [] => json!({ "required": [field.name] }),
        _ => one_of(&[field]),
    }
}

/// Returns the schema for at least one written field.
pub(super) fn one_of(fields: &[&Field]) -> Value {
    let names = fields.iter().flat_map(|field| [field.name].into_iter().chain(field.aliases.iter().copied()));
    let options: Vec<_> = names.map(|name| json!({ "required": [name] })).collect();
    json!({ "anyOf": options })
}

/// Returns the schemas that exclude each pair of the fields.
fn not_together(fields: &[&Field]) -> Vec<Value> {
    let mut rules = Vec::new();
    for (index, first) in fields.iter().enumerate() {
        for second in &fields[index + 1..] {
            rules.push(json!({ "not": { "allOf": [written(first), written(second)] } }));
        }
    }
    rules
}

/// Returns the schema for a field that requires another one.
fn needs(field: &Field, other: &Field) -> Value {
    json!({ "if": written(field), "then": written(other) })
}
