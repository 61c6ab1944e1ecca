//! Validation of type definitions.

use crate::types::footprint::NameSource;
use crate::types::schema::{Condition, Field, Kind, Rule, Schema};
use crate::types::value::Value;

/// Returns a duplicate field name, or a rule with an unknown field or an invalid value.
///
/// The derive finds these itself, except in types that embed others.
pub(super) fn wrong_names(schema: &Schema) -> Option<String> {
    let names = schema.fields.iter().flat_map(|field| std::iter::once(&field.name).chain(field.aliases));
    let mut names: Vec<&str> = names.copied().collect();
    names.sort_unstable();
    let mut pairs = names.iter().zip(names.iter().skip(1));
    if let Some((twice, _)) = pairs.find(|(name, next)| name == next) {
        return Some(format!(
            "two fields are named `{twice}`, its own or of blocks that it embeds: give one of them another name, \
             `#[hcl(name = \"..\")]`"
        ));
    }
    let mut in_rules = schema.rules.iter().flat_map(Rule::names);
    let is_none = |name: &&str| schema.fields.iter().all(|field| field.name != *name);
    if let Some(unknown_name) = in_rules.find(is_none) {
        return Some(format!("a rule names `{unknown_name}`, which is not a field"));
    }
    let conditions = schema.rules.iter().flat_map(Rule::conditions);
    let is_invalid = |condition: &&Condition| match (condition.is, schema.field(condition.field)) {
        (Some(is), Some((_, field))) => field.check_conversion(Value::string(is)).is_err(),
        _ => false,
    };
    if let Some(condition) = conditions.into_iter().find(is_invalid) {
        return Some(format!("a rule says that {condition}, which is not a value of its type"));
    }
    let mut footprints = schema.fields.iter().flat_map(|field| &field.footprint);
    footprints.find_map(|rule| match rule.name {
        NameSource::Field(name) if is_none(&name) => {
            Some(format!("`{}` is of `{name}`, which is not a field", rule.verb.as_str()))
        }
        _ => None,
    })
}

/// Returns the problem of a default or a valid value of a field, including nested blocks.
pub(super) fn wrong_default(fields: &[Field]) -> Option<String> {
    let (name, problem) = wrong_value(fields)?;
    Some(match problem {
        WrongValue::Valid(value) => {
            format!("{value:?} in `valid_values` of `{name}` is not a value of its type")
        }
        WrongValue::Default(reasons) => format!("the default of `{name}`: {reasons}"),
    })
}

/// A value in a definition that its field does not accept.
enum WrongValue {
    /// One of the valid values.
    Valid(&'static str),
    /// The default, with the reasons.
    Default(String),
}

/// Returns the first field with a wrong value, by its name and the names of the blocks around it.
fn wrong_value(fields: &[Field]) -> Option<(String, WrongValue)> {
    fields.iter().find_map(|field| {
        let own = |problem| Some((field.name.to_owned(), problem));
        if let Some(valid) = field.wrong_valid_value() {
            return own(WrongValue::Valid(valid));
        }
        let default = field.default.as_ref();
        if let Some(Err(errors)) = default.map(|value| crate::types::check::check(field, value)) {
            let reasons: Vec<String> = errors.iter().map(ToString::to_string).collect();
            return own(WrongValue::Default(reasons.join("; ")));
        }
        let mut kind = &field.kind;
        while let Kind::List(item) | Kind::OneOrMany(item) | Kind::Map(item) = kind {
            kind = item;
        }
        let Kind::Block(block) = kind else { return None };
        let (inner, problem) = wrong_value(&block.fields)?;
        Some((format!("{}.{inner}", field.name), problem))
    })
}
