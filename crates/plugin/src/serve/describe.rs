//! The descriptions of a plugin's types.

use super::super::protocol::{
    WireCondition, WireExport, WireField, WireFootprint, WireKind, WireReach, WireRule, WireShape, WireType,
    WireValue, WireVerb,
};
use crate::sdk::registry::ResourceType;
use crate::types::footprint::{FootprintRule, NameSource, Reach, Verb};
use crate::types::schema::{Condition, ExportField, Field, Kind, Rule, Shape};

pub(super) fn describe(resource_type: &ResourceType) -> WireType {
    let schema = resource_type.schema();
    // Footprints that a method computes are not sent, so the type may touch anything.
    let reach = |reach| match reach {
        Reach::Named if !resource_type.has_own_footprint() => WireReach::Named,
        _ => WireReach::Anything,
    };
    WireType {
        name: schema.name.to_owned(),
        doc: schema.doc.to_owned(),
        fields: fields(&schema.fields),
        rules: schema.rules.iter().map(rule).collect(),
        exports: exports(&schema.exports),
        example: schema.example.to_owned(),
        refreshes: resource_type.refreshes(),
        lock: resource_type.lock().map(str::to_owned),
        reads: Some(reach(resource_type.reads())),
        changes: Some(reach(resource_type.changes())),
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn fields(fields: &[Field]) -> Vec<WireField> {
    fields.iter().map(field).collect()
}

fn field(field: &Field) -> WireField {
    WireField {
        name: field.name.to_owned(),
        doc: field.doc.to_owned(),
        kind: kind(&field.kind),
        aliases: owned(field.aliases),
        required: field.required,
        nonempty: field.nonempty,
        sensitive: field.sensitive,
        default: field.default.clone().map(WireValue),
        valid_values: owned(field.valid_values),
        min: field.min,
        max: field.max,
        pattern: field.pattern.map(str::to_owned),
        expects: field.expects.map(str::to_owned),
        base: field.base,
        deprecated: field.deprecated.map(str::to_owned),
        footprint: field.footprint.iter().map(footprint).collect(),
        removes: field.removes.map(str::to_owned),
    }
}

fn kind(kind: &Kind) -> WireKind {
    let items = |item: &Kind| Box::new(self::kind(item));
    match kind {
        Kind::Any => WireKind::Any,
        Kind::String => WireKind::String,
        Kind::Bool => WireKind::Bool,
        // A bound that does not fit the wire type is no restriction and is left out.
        Kind::Int { min, max } => {
            WireKind::Int { min: i64::try_from(*min).ok(), max: u64::try_from(*max).ok() }
        }
        Kind::Float => WireKind::Float,
        Kind::Duration => WireKind::Duration,
        Kind::Time => WireKind::Time,
        Kind::Enum(words) => WireKind::Enum { values: owned(words) },
        Kind::List(item) => WireKind::List { items: items(item) },
        Kind::OneOrMany(item) => WireKind::OneOrMany { items: items(item) },
        Kind::Map(item) => WireKind::Map { items: items(item) },
        Kind::Block(block) => {
            WireKind::Block { fields: fields(&block.fields), rules: block.rules.iter().map(rule).collect() }
        }
    }
}

fn conditions(conditions: &[Condition]) -> Vec<WireCondition> {
    let convert = |condition: &Condition| WireCondition {
        field: condition.field.to_owned(),
        is: condition.is.map(str::to_owned),
    };
    conditions.iter().map(convert).collect()
}

fn rule(rule: &Rule) -> WireRule {
    match rule {
        Rule::MutuallyExclusive(fields) => WireRule::MutuallyExclusive { fields: owned(fields) },
        Rule::RequiredOneOf(fields) => WireRule::RequiredOneOf { fields: owned(fields) },
        Rule::RequiredTogether(fields) => WireRule::RequiredTogether { fields: owned(fields) },
        Rule::Requires { field, needs } => {
            WireRule::Requires { field: (*field).to_owned(), needs: (*needs).to_owned() }
        }
        Rule::ConflictsWith { field, other } => {
            WireRule::ConflictsWith { field: (*field).to_owned(), other: (*other).to_owned() }
        }
        Rule::RequiredIf { field, when } => {
            WireRule::RequiredIf { field: (*field).to_owned(), when: conditions(when) }
        }
        Rule::RequiredUnless { field, unless } => {
            WireRule::RequiredUnless { field: (*field).to_owned(), unless: conditions(unless) }
        }
    }
}

fn footprint(rule: &FootprintRule) -> WireFootprint {
    let (field_name, path) = match rule.name {
        NameSource::Own(_) => (None, None),
        NameSource::Field(field) => (Some(field.to_owned()), None),
        NameSource::Fixed(name) => (None, Some(name.to_owned())),
    };
    WireFootprint {
        verb: match rule.verb {
            Verb::Manages => WireVerb::Manages,
            Verb::Ensures => WireVerb::Ensures,
            Verb::Needs => WireVerb::Needs,
            Verb::Touches => WireVerb::Touches,
        },
        kind: rule.kind.to_owned(),
        aspect: rule.aspect.map(str::to_owned),
        of: field_name,
        at: path,
    }
}

fn exports(fields: &[ExportField]) -> Vec<WireExport> {
    let convert = |field: &ExportField| WireExport {
        name: field.name.to_owned(),
        doc: field.doc.to_owned(),
        computed: field.computed,
        shape: match &field.shape {
            Shape::Plain => WireShape::Plain,
            Shape::Open => WireShape::Open,
            Shape::Struct(fields) => WireShape::Struct(exports(fields)),
        },
    };
    fields.iter().map(convert).collect()
}
