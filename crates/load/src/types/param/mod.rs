//! The language block `param`: a named value that a module takes from outside.
//!
//! It belongs to the language, but is a resource written with the public traits and derives. The engine
//! treats it like any other node, except for one call that validates its value, the same at load and in a
//! run. Text from outside that is not a value of the default's kind, such as `007` or `yes`, stays text, as
//! in the original Converge.

mod rules;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::graph::param::{VALUE_FIELD, value};
use crate::graph::{Attribute, Input, InputKind, Node, ParamKind, ParamRules, Role};
use crate::parameters::{GivenParam, json_reason};
use crate::sdk::prelude::*;
use crate::sdk::registry::ResourceType;
use crate::types::local::Local;
use crate::types::output::Output;
use converge_value::types::value::json_number_beyond_64_bits;
use serde::de::Error as _;

pub(crate) use rules::{read_bare_type, take_rules};

/// A value that the module takes from outside, with or without a default.
#[derive(Debug, converge_sdk::Preparer)]
// The type is part of the language, so every registry contains it already.
#[preparer(name = "param", task = ParamValue, register = false, reads = "named", changes = "named")]
pub(crate) struct Param {
    /// The value if none is given from outside. A parameter without a default is required.
    default: Option<Value>,
    /// The type of the value: `string`, `number`, `bool`, `list`, `map` or `any`.
    ///
    /// The type of the items of a list or map is written as in `list(number)`.
    #[hcl(name = "type")]
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    kind: Option<ParamKind>,
    /// A description of the parameter.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    description: Option<String>,
    /// Whether the value is never shown.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    sensitive: bool,
    /// Conditions that the value must meet.
    #[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
    validation: Vec<Validation>,
}

/// A condition on the value of a parameter.
#[derive(Debug, converge_sdk::HclBlock)]
#[expect(dead_code, reason = "the loader takes it for `ParamRules`")]
struct Validation {
    /// The condition that must be true: an expression, or a predicate like that of a `case`.
    ///
    /// It may use the parameter itself, but no other.
    #[hcl(required)]
    condition: Value,
    /// The error message if the condition is false.
    #[hcl(required, nonempty)]
    message: String,
}

/// The value of a parameter.
#[derive(Debug, converge_sdk::Export)]
pub(crate) struct ParamValue {
    /// The value.
    #[export]
    val: Value,
}

/// Returns whether the type is that of parameters rather than `locals`, which have the same role.
#[doc(hidden)]
pub fn is_param(resource: &ResourceType) -> bool {
    resource.name() == Param::NAME
}

/// Returns the role of the nodes of a resource type.
pub(crate) fn role_of(resource: &ResourceType) -> Role {
    match resource.name() {
        Param::NAME | Local::NAME => Role::Param,
        Output::NAME => Role::Output,
        _ => Role::Resource,
    }
}

/// Replaces the default of a parameter by a value.
pub(super) fn set(node: &mut Node, input: Input) {
    node.attributes = Arc::new(vec![Attribute { field: VALUE_FIELD, input, name_span: None }]);
}

/// Returns the attributes that a call gives to a parameter.
///
/// The value is marked as secret if the parameter is sensitive, so that not even a printed graph shows it.
pub(crate) fn given_by_call(node: &Node, attributes: &Arc<Vec<Attribute>>) -> Arc<Vec<Attribute>> {
    let sensitive = node.param_rules().is_some_and(|rules| rules.sensitive);
    let known_value =
        value(attributes).filter(|_| sensitive).and_then(|input| Some((input.known_value()?, input.span)));
    match known_value {
        Some((value, span)) => {
            let input = Input { kind: InputKind::Value(value.into_secret()), span };
            Arc::new(vec![Attribute { field: VALUE_FIELD, input, name_span: None }])
        }
        None => Arc::clone(attributes),
    }
}

/// Sets the value of a parameter from outside; for a list or a map it may be JSON text.
///
/// # Errors
///
/// Fails if the text is not JSON. The parameter is then set to an unknown value.
pub(crate) fn give(node: &mut Node, param: &GivenParam) -> Result<(), Diagnostic> {
    let rules = node.param_rules();
    let sensitive = rules.is_some_and(|rules| rules.sensitive);
    let json = rules.filter(|rules| rules.kind.has_parts() && param.origin.is_text());
    let (value, parse_error) = match (json, &param.value) {
        (Some(rules), Value::String(text)) => match parse_json(text) {
            Ok(value) => (value, None),
            Err(error) => {
                (Value::unknown("a text that is not JSON"), Some(not_json(node, param, rules, &error)))
            }
        },
        (None, Value::String(text)) if param.origin.is_text() => (as_default(node, text), None),
        (_, value) => (value.clone(), None),
    };
    set(node, Input::value(if sensitive { value.into_secret() } else { value }));
    node.meta.get_or_insert_default().param.given = Some(param.origin.clone());
    parse_error.map_or(Ok(()), Err)
}

/// Parses JSON, in which a number beyond 64 bits is an error as in a module.
fn parse_json(text: &str) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(text)?;
    match json_number_beyond_64_bits(text) {
        Some(_) => Err(serde_json::Error::custom("a number is out of range")),
        None => Ok(value),
    }
}

/// Converts text from outside to the kind of the parameter's default.
///
/// Text is only converted if the value has that kind and would be written the same. So `true` becomes a bool
/// if the default is `false`, and `007` stays text.
fn as_default(node: &Node, text: &Arc<str>) -> Value {
    let untyped = node.param_rules().is_none_or(|rules| rules.kind == ParamKind::Any);
    let default = value(&node.attributes).filter(|_| untyped).and_then(Input::known_value);
    let spelled = default.and_then(|default| spelled(text, bare(&default)));
    spelled.unwrap_or_else(|| Value::String(Arc::clone(text)))
}

/// Parses a text if it has the kind of `like`.
fn spelled(text: &str, like: &Value) -> Option<Value> {
    let parsed_value = serde_json::from_str(text).ok()?;
    let is_like = match (like, &parsed_value) {
        (Value::Bool(_), Value::Bool(_))
        | (Value::List(_), Value::List(_))
        | (Value::Map(_), Value::Map(_)) => true,
        (Value::Int(_) | Value::Float(_), Value::Int(found)) => found.to_string() == text,
        (Value::Int(_) | Value::Float(_), Value::Float(found)) => found.to_string() == text,
        _ => false,
    };
    is_like.then_some(parsed_value)
}

/// Returns the value inside a secret.
fn bare(value: &Value) -> &Value {
    match value {
        Value::Secret(inner) => bare(inner.expose()),
        other => other,
    }
}

fn not_json(node: &Node, param: &GivenParam, rules: &ParamRules, error: &serde_json::Error) -> Diagnostic {
    let (name, kind, reason) = (&param.name, &rules.kind, json_reason(error));
    let message = format!("parameter `{name}` must be `{kind}`, and its text is not JSON: {reason}");
    let example = if matches!(kind, ParamKind::Map(_)) { "{\"a\": 1}" } else { "[1, 2]" };
    let help = format!("it was given {}; write it like {example}", param.origin);
    let span = rules.kind_span.or(node.span);
    Diagnostic::error("not-json", message).label(span, "the type of the parameter").help(help)
}

/// Sets an unknown value for a parameter whose default could not be parsed.
pub(crate) fn assume_value(node: &mut Node) {
    if node.role == Role::Param && node.param_value().is_none() {
        set(node, Input::value(Value::unknown("a default that cannot be read")));
    }
}

impl Resource for Param {
    async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<ParamValue> {
        // Loading refuses a parameter without a value, so this one was given `null`.
        Ok(ParamValue { val: self.default.unwrap_or_default() })
    }
}

impl Task for ParamValue {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
