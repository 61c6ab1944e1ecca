//! Short descriptions of fields, rules, functions and types.

use converge_core::ResourceType;
use converge_core::footprint::{FootprintRule, NameSource, Reach};
use converge_core::schema::{BlockKind, Condition, Field, Kind, Rule};
use converge_core::value::{Purity, Value};

/// Returns the block that a field takes, once or repeatedly.
pub(crate) fn block(kind: &Kind) -> Option<&BlockKind> {
    match kind {
        Kind::Block(block) => Some(block),
        Kind::List(item) | Kind::OneOrMany(item) => block(item),
        _ => None,
    }
}

/// Describes the values of a field: `a string, required, not empty`.
pub(crate) fn describe_field(field: &Field) -> String {
    let mut facts = vec![field.kind.to_string()];
    let mut fact = |text: String| facts.push(text);
    if field.required {
        fact("required".into());
    }
    if field.nonempty {
        fact("not empty".into());
    }
    if let Some(default) = &field.default {
        fact(format!("default {}", self::default(default, field.base)));
    }
    if !field.valid_values.is_empty() {
        fact(format!("one of {}", field.valid_values.join(", ")));
    }
    if let Some(min) = field.min {
        fact(format!("at least {}", field.bound_text(min)));
    }
    if let Some(max) = field.max {
        fact(format!("at most {}", field.bound_text(max)));
    }
    match (field.expects, field.pattern) {
        (Some(expects), _) => fact(expects.to_owned()),
        (None, Some(pattern)) => fact(format!("like `{pattern}`")),
        (None, None) => {}
    }
    if let Some(base) = field.base {
        fact(format!("in base {base}"));
    }
    if field.sensitive {
        fact("never shown".into());
    }
    if !field.aliases.is_empty() {
        fact(format!("also `{}`", field.aliases.join("`, `")));
    }
    if let Some(instead) = field.deprecated {
        fact(format!("deprecated: {instead}"));
    }
    facts.extend(field.footprint.iter().map(describe_footprint));
    if let Some(word) = field.removes {
        facts.push(format!("with `{word}` it is removed"));
    }
    facts.join(", ")
}

/// Describes the footprint of a field: `manages the content of the path`.
fn describe_footprint(rule: &FootprintRule) -> String {
    let (verb, kind) = (rule.verb.as_str(), rule.kind.replace('_', " "));
    let aspect = rule.aspect.map(|aspect| format!("the {aspect} of ")).unwrap_or_default();
    match rule.name {
        NameSource::Field(field) => format!("{verb} {aspect}the {kind} `{field}`"),
        NameSource::Fixed(name) => format!("{verb} {aspect}the {kind} `{name}`"),
        NameSource::Own(_) => format!("{verb} {aspect}the {kind}"),
    }
}

/// Formats a default as in a module, with numbers in the base of the field.
fn default(value: &Value, base: Option<u32>) -> String {
    match (value, base) {
        (Value::Int(number), Some(8)) => format!("0{number:o}"),
        (Value::Int(number), Some(16)) => format!("0x{number:x}"),
        _ => value.to_string(),
    }
}

fn any(conditions: &[Condition]) -> String {
    conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

pub(crate) fn describe_rule(rule: &Rule) -> String {
    let names = |names: &[&str]| format!("`{}`", names.join("`, `"));
    match rule {
        Rule::MutuallyExclusive(fields) => format!("At most one of {}.", names(fields)),
        Rule::RequiredOneOf(fields) => format!("At least one of {}.", names(fields)),
        Rule::RequiredTogether(fields) => format!("All or none of {}.", names(fields)),
        Rule::Requires { field, needs } => format!("`{field}` needs `{needs}`."),
        Rule::ConflictsWith { field, other } => format!("Not both of `{field}`, `{other}`."),
        Rule::RequiredIf { field, when } => format!("`{field}` is required if {}.", any(when)),
        Rule::RequiredUnless { field, unless } => format!("`{field}` is required unless {}.", any(unless)),
        // A rule of a later version is shown rather than hidden.
    }
}

/// Describes when a function of the program is called.
pub(crate) fn describe_purity(purity: Purity) -> &'static str {
    match purity {
        Purity::Pure => "Called when a module is loaded, too.",
        Purity::InRun => "Called in a plan or an apply only; not known before.",
    }
}

/// Describes the capabilities of a type beyond those of all types, as sentences.
pub(crate) fn describe_type(resource_type: &ResourceType) -> Vec<String> {
    let mut facts = Vec::new();
    if resource_type.refreshes() {
        facts.push("It can be refreshed, so it takes `on_change_of`.".to_owned());
    }
    if let Some(lock) = resource_type.lock() {
        let batch_note = if resource_type.batches() {
            ""
        } else {
            " Those that change the same thing take turns in the order in which they are written."
        };
        let sentence =
            format!("Of all resources whose types have the lock `{lock}`, one is applied at a time.");
        facts.push(sentence + batch_note);
    }
    for need in resource_type.needs() {
        facts.push(format!("The program must provide state of type `{}`.", need.type_name()));
    }
    match (resource_type.reads(), resource_type.changes()) {
        (Reach::Anything, Reach::Anything) => {
            facts.push("Its checks may look at anything, and its changes may change anything.".to_owned());
        }
        (Reach::Anything, Reach::Named) => facts.push("Its checks may look at anything.".to_owned()),
        (Reach::Named, Reach::Anything) => {
            facts.push("Its changes may change more than its fields name.".to_owned());
        }
        (Reach::Named, Reach::Named) => {}
    }
    if resource_type.batches() {
        facts.push("Resources of this type that are ready together are applied in one go.".to_owned());
    }
    facts
}
