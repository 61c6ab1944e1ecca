//! Rules between fields.

use serde_json::{Value, json};

use crate::types::schema::{BlockKind, Field, Rule, find_field};

/// What the rules of a block say, each as a schema of its own.
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
    })
}

/// That a field is written, under any of its names.
fn written(field: &Field) -> Value {
    match field.aliases {
        [] => json!({ "required": [field.name] }),
        _ => one_of(&[field]),
    }
}

/// At least one of the fields is written.
pub(super) fn one_of(fields: &[&Field]) -> Value {
    let names = fields.iter().flat_map(|field| [field.name].into_iter().chain(field.aliases.iter().copied()));
    let any: Vec<_> = names.map(|name| json!({ "required": [name] })).collect();
    json!({ "anyOf": any })
}

/// No two of the fields are written.
fn not_together(fields: &[&Field]) -> Vec<Value> {
    let mut rules = Vec::new();
    for (index, first) in fields.iter().enumerate() {
        for second in &fields[index + 1..] {
            rules.push(json!({ "not": { "allOf": [written(first), written(second)] } }));
        }
    }
    rules
}

/// When one field is written, so is the other.
fn needs(field: &Field, other: &Field) -> Value {
    json!({ "if": written(field), "then": written(other) })
}
