//! Conversion of type descriptions from plugins into registry types, with full validation.

use std::collections::HashSet;

use regex_lite::Regex;

use super::super::protocol::{
    WireCondition, WireExport, WireField, WireFootprint, WireKind, WireReach, WireRule, WireShape, WireType,
    WireVerb,
};
use crate::sdk::registry::{Described, MakeResource};
use crate::types::footprint::{FootprintRule, NameSource, Reach, Verb};
use crate::types::intern;
use crate::types::schema::{BlockKind, Condition, ExportField, Field, Kind, Rule, Schema, Shape};
use crate::types::untyped_values::{BY_KIND, names_of};

/// The message that says what is wrong with a description.
type Invalid = String;

/// Returns the registry entry of a type, whose resources `maker` makes.
pub(super) fn describe_type(
    wire: &WireType,
    owner: &'static str,
    maker: impl FnOnce(&'static str, Vec<ExportField>) -> std::sync::Arc<dyn MakeResource>,
) -> Result<Described, Invalid> {
    let schema = schema(wire)?;
    Ok(Described {
        owner,
        refreshes: wire.refreshes,
        lock: wire.lock.as_deref().map(text).transpose()?,
        reads: wire.reads.map(reach),
        changes: wire.changes.map(reach),
        maker: maker(schema.name, schema.exports.clone()),
        schema,
    })
}

/// Returns the schema of a type: its fields, rules and exports.
pub(crate) fn schema(wire: &WireType) -> Result<Schema, Invalid> {
    if !wire.name.split('.').all(is_word) {
        return Err(
            "its name is not words of small letters, digits, `_` and `-` with points between them".to_owned()
        );
    }
    let name = text(&wire.name)?;
    check_doc("it", &wire.doc)?;
    let block = BlockKind { fields: fields(&wire.fields, "")?, rules: rules(&wire.rules)? };
    let exports = exports(&wire.exports, "")?;
    let mut schema = Schema::new(name, text(&wire.doc)?, block, exports);
    schema.example = text(&wire.example)?;
    Ok(schema)
}

fn text(text: &str) -> Result<&'static str, Invalid> {
    intern::text(text).map_err(|error| error.to_string())
}

fn list(texts: &[String]) -> Result<&'static [&'static str], Invalid> {
    intern::list(texts).map_err(|error| error.to_string())
}

/// Whether the text can be one part of a dotted type name.
fn is_word(word: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    word.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) && word.bytes().all(is_part)
}

/// Checks that `name` can be the name of a field, an export or a kind of thing.
fn check_name(subject: &str, name: &str) -> Result<(), Invalid> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && name.bytes().all(is_part)
    {
        return Ok(());
    }
    Err(format!("{name:?} cannot be the name of {subject}"))
}

fn check_doc(subject: &str, doc: &str) -> Result<(), Invalid> {
    if doc.trim().is_empty() { Err(format!("{subject} has no `doc`")) } else { Ok(()) }
}

fn reach(reach: WireReach) -> Reach {
    match reach {
        WireReach::Named => Reach::Named,
        WireReach::Anything => Reach::Anything,
    }
}

fn fields(fields: &[WireField], block: &str) -> Result<Vec<Field>, Invalid> {
    let mut names_seen = HashSet::new();
    let names = fields.iter().flat_map(|field| std::iter::once(&field.name).chain(&field.aliases));
    for name in names {
        check_name("a field", name)?;
        if !names_seen.insert(name) {
            return Err(format!("two fields are named `{block}{name}`"));
        }
    }
    fields.iter().map(|wire_field| field(wire_field, block)).collect()
}

fn field(wire: &WireField, block: &str) -> Result<Field, Invalid> {
    let title = format!("`{block}{}`", wire.name);
    check_doc(&title, &wire.doc)?;
    if wire.required && wire.default.is_some() {
        return Err(format!("{title} is required and has a default"));
    }
    if let Some(pattern) = &wire.pattern {
        Regex::new(pattern)
            .map_err(|error| format!("the pattern of {title} is not a regular expression: {error}"))?;
    }
    if wire.base.is_some_and(|base| !(2..=36).contains(&base)) {
        return Err(format!("the base of {title} is not between 2 and 36"));
    }
    let mut field = Field::described(text(&wire.name)?, text(&wire.doc)?, kind(&wire.kind, &title)?, BY_KIND);
    field.aliases = list(&wire.aliases)?;
    field.required = wire.required;
    field.nonempty = wire.nonempty;
    field.sensitive = wire.sensitive;
    field.default = wire.default.as_ref().map(|value| value.0.clone());
    field.valid_values = list(&wire.valid_values)?;
    (field.min, field.max) = (wire.min, wire.max);
    field.pattern = wire.pattern.as_deref().map(text).transpose()?;
    field.expects = wire.expects.as_deref().map(text).transpose()?;
    field.base = wire.base;
    field.deprecated = wire.deprecated.as_deref().map(text).transpose()?;
    field.footprint = wire.footprint.iter().map(footprint).collect::<Result<_, _>>()?;
    field.removes = wire.removes.as_deref().map(text).transpose()?;
    Ok(field)
}

fn kind(wire: &WireKind, field: &str) -> Result<Kind, Invalid> {
    let items = |items: &WireKind| kind(items, field).map(Box::new);
    Ok(match wire {
        WireKind::Any => Kind::Any,
        WireKind::String => Kind::String,
        WireKind::Bool => Kind::Bool,
        WireKind::Int { min, max } => {
            let (min, max) = (min.unwrap_or(i64::MIN).into(), max.map_or(i64::MAX.into(), i128::from));
            if min > max {
                return Err(format!("no number is between the bounds of {field}"));
            }
            Kind::Int { min, max }
        }
        WireKind::Float => Kind::Float,
        WireKind::Duration => Kind::Duration,
        WireKind::Time => Kind::Time,
        WireKind::Enum { values } if values.is_empty() => return Err(format!("{field} is one of no words")),
        WireKind::Enum { values } => Kind::Enum(list(values)?),
        WireKind::List { items: item } => Kind::List(items(item)?),
        WireKind::OneOrMany { items: item } => Kind::OneOrMany(items(item)?),
        WireKind::Map { items: item } => Kind::Map(items(item)?),
        WireKind::Block { fields, rules } => {
            let block = format!("{}.", field.trim_matches('`'));
            let block = BlockKind { fields: self::fields(fields, &block)?, rules: self::rules(rules)? };
            let names: HashSet<&str> = block.fields.iter().map(|field| field.name).collect();
            let in_rules = block.rules.iter().flat_map(Rule::names);
            if let Some(unknown_name) = in_rules.into_iter().find(|name| !names.contains(name)) {
                return Err(format!("a rule of {field} names `{unknown_name}`, which is not a field"));
            }
            Kind::Block(Box::new(block))
        }
    })
}

fn rules(rules: &[WireRule]) -> Result<Vec<Rule>, Invalid> {
    let conditions = |conditions: &[WireCondition]| {
        let convert_condition = |condition: &WireCondition| {
            let field = text(&condition.field)?;
            Ok(match &condition.is {
                Some(is) => Condition::described(field, text(is)?),
                None => Condition::written(field),
            })
        };
        conditions.iter().map(convert_condition).collect::<Result<Vec<_>, Invalid>>()
    };
    let rule = |rule: &WireRule| {
        Ok(match rule {
            WireRule::MutuallyExclusive { fields } => Rule::MutuallyExclusive(list(fields)?),
            WireRule::RequiredOneOf { fields } => Rule::RequiredOneOf(list(fields)?),
            WireRule::RequiredTogether { fields } => Rule::RequiredTogether(list(fields)?),
            WireRule::Requires { field, needs } => {
                Rule::Requires { field: text(field)?, needs: text(needs)? }
            }
            WireRule::ConflictsWith { field, other } => {
                Rule::ConflictsWith { field: text(field)?, other: text(other)? }
            }
            WireRule::RequiredIf { field, when } => {
                Rule::RequiredIf { field: text(field)?, when: conditions(when)? }
            }
            WireRule::RequiredUnless { field, unless } => {
                Rule::RequiredUnless { field: text(field)?, unless: conditions(unless)? }
            }
        })
    };
    rules.iter().map(rule).collect()
}

fn footprint(wire: &WireFootprint) -> Result<FootprintRule, Invalid> {
    let verb = match wire.verb {
        WireVerb::Manages => Verb::Manages,
        WireVerb::Ensures => Verb::Ensures,
        WireVerb::Needs => Verb::Needs,
        WireVerb::Touches => Verb::Touches,
    };
    check_name("a kind of thing", &wire.kind)?;
    let name = match (&wire.of, &wire.at) {
        (None, None) => NameSource::Own(names_of),
        (Some(of), None) => NameSource::Field(text(of)?),
        (None, Some(at)) => NameSource::Fixed(text(at)?),
        (Some(_), Some(_)) => return Err("a footprint must have either `of` or `at`".to_owned()),
    };
    let aspect = wire.aspect.as_deref().map(text).transpose()?;
    Ok(FootprintRule::new(verb, text(&wire.kind)?, aspect, name))
}

fn exports(wire: &[WireExport], outer: &str) -> Result<Vec<ExportField>, Invalid> {
    let mut names_seen = HashSet::new();
    let convert_export = |wire: &WireExport| {
        let title = format!("{outer}{}", wire.name);
        check_name("an export", &wire.name)?;
        check_doc(&format!("the export `{title}`"), &wire.doc)?;
        if !names_seen.insert(wire.name.to_ascii_lowercase()) {
            return Err(format!("two exports are named `{title}`"));
        }
        let shape = match &wire.shape {
            WireShape::Plain => Shape::Plain,
            WireShape::Open => Shape::Open,
            WireShape::Struct(fields) => Shape::Struct(exports(fields, &format!("{title}."))?),
        };
        let field = ExportField::new(text(&wire.name)?, text(&wire.doc)?, shape);
        Ok(if wire.computed { field.into_computed() } else { field })
    };
    wire.iter().map(convert_export).collect()
}
