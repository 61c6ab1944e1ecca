//! Footprints from the values of fields.

use std::ops::Range;

use super::claim::{Claim, Footprint};
use super::kinds::aspect;
use super::thing::Thing;
use crate::types::schema::{Field, FootprintRule, NameSource, Schema, Verb};
use crate::types::value::Value;

impl Footprint {
    /// Returns the footprint that the fields declare, with their values by index from `value`.
    ///
    /// An unknown or secret value names nothing and makes the footprint partial. If the name comes from
    /// another field, this field only has to be given.
    #[doc(hidden)]
    pub fn of_fields(fields: &[Field], value: &mut dyn FnMut(usize) -> Option<Value>) -> Self {
        let mut footprint = Self::new();
        for (index, field) in fields.iter().enumerate() {
            if field.footprint.is_empty() && field.removes.is_none() {
                continue;
            }
            let Some(content) = value(index).or_else(|| field.default.clone()) else { continue };
            if let Some(word) = field.removes {
                footprint.partial |= is_hidden(&content);
                footprint.removes |= matches!(&content, Value::String(text) if **text == *word);
            }
            // There are very many footprints, and most fields name one thing.
            footprint.claims.reserve_exact(field.footprint.len());
            let mut before: Option<(&FootprintRule, Range<usize>)> = None;
            for rule in &field.footprint {
                let first = footprint.claims.len();
                match before.take_if(|(before, _)| names_the_same(before, rule)) {
                    Some((_, named)) => footprint.claim_again(rule, field, named),
                    None => footprint.follow(rule, field, fields, (&content, value)),
                }
                before = Some((rule, first..footprint.claims.len()));
            }
        }
        footprint
    }

    fn follow(
        &mut self,
        rule: &FootprintRule,
        field: &Field,
        fields: &[Field],
        (given, value): (&Value, &mut dyn FnMut(usize) -> Option<Value>),
    ) {
        let mut claim = |name: &str| self.claim(rule, field, name, given);
        let field_name = match rule.name {
            NameSource::Own(_) if is_hidden(given) => {
                self.partial = true;
                return;
            }
            NameSource::Own(names) => {
                return names(given.clone(), &field.conversion(), rule.kind, &mut claim);
            }
            // `enabled = false` is a state of its own, unlike `recursive = false`.
            _ if is_nothing(given) && !(rule.verb == Verb::Manages && is_false(given)) => return,
            NameSource::Fixed(name) => return claim(name),
            NameSource::Field(other) => other,
        };
        let entry = fields.iter().enumerate().find(|(_, field)| field.name == field_name);
        let value_of =
            entry.and_then(|(index, other)| Some((other, value(index).or_else(|| other.default.clone())?)));
        let Some((other_field, content)) = value_of else { return };
        let own_names = other_field.footprint.iter().find_map(|rule| match rule.name {
            NameSource::Own(names) => Some(names),
            NameSource::Field(_) | NameSource::Fixed(_) => None,
        });
        match (own_names, &content) {
            (_, hidden) if is_hidden(hidden) => self.partial = true,
            (Some(names), _) => names(content, &other_field.conversion(), rule.kind, &mut claim),
            (None, Value::String(text)) => claim(text),
            (None, _) => {}
        }
    }

    /// Keeps only what a change of these fields would change.
    ///
    /// These are the claims of the fields, the claims of others on the same names, and the fields themselves
    /// as aspects of the managed things.
    #[doc(hidden)]
    pub fn limit_to(&mut self, schema: &Schema, fields: &[&'static str]) {
        let managed: Vec<Thing> = {
            let managed = self.claims.iter().filter(|claim| claim.verb == Verb::Manages);
            managed.map(|claim| claim.thing.clone()).collect()
        };
        let is_about = |claim: &Claim| {
            let field = claim.field.and_then(|name| schema.field(name)).map(|(_, field)| field);
            let named_by = |rule: &FootprintRule| match rule.name {
                NameSource::Field(other) => fields.contains(&other),
                NameSource::Own(_) | NameSource::Fixed(_) => false,
            };
            field.is_none_or(|field| fields.contains(&field.name) || field.footprint.iter().any(named_by))
        };
        self.claims.retain(is_about);
        for thing in managed {
            self.claims.extend(fields.iter().map(|field| Claim {
                verb: Verb::Touches,
                thing: thing.clone(),
                aspect: Some(*field),
                field: Some(*field),
                state: None,
            }));
        }
    }

    fn claim(&mut self, rule: &FootprintRule, field: &Field, name: &str, value: &Value) {
        // Most fields make several claims about one name.
        let last_thing = self.claims.last().map(|last| &last.thing);
        let last_thing = last_thing.filter(|thing| thing.kind() == rule.kind && thing.name() == name);
        let thing = last_thing.cloned().unwrap_or_else(|| match value {
            Value::String(text) if **text == *name => Thing::from_shared_name(rule.kind, text),
            _ => Thing::new(rule.kind, name),
        });
        self.push(rule, field, thing);
    }

    fn push(&mut self, rule: &FootprintRule, field: &Field, thing: Thing) {
        let claim = |thing| Claim {
            verb: rule.verb,
            thing,
            aspect: rule.aspect,
            field: Some(field.name),
            state: None,
        };
        self.covers |= rule.verb.changes() && rule.aspect == Some(aspect::TREE);
        if thing.is_path() && rule.aspect == Some(aspect::PARENTS) {
            let folders = thing.above().filter(|folder| *folder != "/");
            self.claims.extend(folders.map(|folder| claim(Thing::path(folder))));
        } else {
            self.claims.push(claim(thing));
        }
    }

    /// Adds the claims of another rule of the same field about the things that were named already.
    fn claim_again(&mut self, rule: &FootprintRule, field: &Field, range: Range<usize>) {
        for index in range {
            let Some(thing) = self.claims.get(index).map(|claim| claim.thing.clone()) else { return };
            self.push(rule, field, thing);
        }
    }
}

/// Whether the claimed aspect is set to the value of the claiming field.
///
/// An example is `manages = "path:mode of destination"`.
///
/// Resources that set the same value then agree.
#[doc(hidden)]
pub fn is_set_to_value(schema: &Schema, field: Option<&str>, aspect: Option<&str>) -> bool {
    let field = field.and_then(|name| schema.field(name)).map(|(_, field)| field);
    field.is_some_and(|field| {
        let mut rules =
            field.footprint.iter().filter(|rule| rule.verb == Verb::Manages && rule.aspect == aspect);
        rules.any(|rule| matches!(rule.name, NameSource::Field(_)))
    })
}

/// Whether two rules of a field name the same things, given by its value.
fn names_the_same(a: &FootprintRule, b: &FootprintRule) -> bool {
    a.kind == b.kind && a.name == b.name && matches!(a.name, NameSource::Own(_))
}

/// Whether a value, or a part of it, is unknown or secret and so cannot name anything.
fn is_hidden(value: &Value) -> bool {
    match value {
        Value::Unknown(_) | Value::Secret(_) => true,
        Value::List(items) => items.iter().any(is_hidden),
        Value::Map(items) => items.values().any(is_hidden),
        _ => false,
    }
}

fn is_false(value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => !is_true,
        Value::String(text) => text.eq_ignore_ascii_case("false"),
        _ => false,
    }
}

/// Whether a field with this value makes no claim.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) if text.is_empty() => true,
        Value::Bool(_) | Value::String(_) => is_false(value),
        Value::List(items) => items.is_empty(),
        Value::Map(items) => items.is_empty(),
        _ => false,
    }
}
