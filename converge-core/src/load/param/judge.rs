//! Whether a value is one that a parameter takes, when it is loaded and when it runs.

use std::sync::Arc;

use crate::evaluate::Evaluator;
use crate::graph::{Blame, Node, ParamRules, Validation};
use crate::report::{Diagnostic, SourceMap, Span};
use crate::schema::Kind;
use crate::scope::{Scope, ScopeError};
use crate::system::Platform;
use crate::value::{Conversion, FieldError, FromValue, Unknown, Value, ValuePath};

/// Takes the value that was evaluated for a parameter. `outer` is what knows the machine.
///
/// A condition that is not known yet is not judged.
///
/// # Errors
///
/// Everything for which the value is refused.
pub(crate) fn judge(
    node: &Node,
    value: Value,
    outer: &dyn Scope,
    sources: &SourceMap,
    blame: Blame<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let Some(rules) = node.param_rules() else { return Ok(value) };
    let judge = Judge { node, rules, sources, blame };
    let value = rules
        .take(value)
        .map_err(|errors| errors.iter().map(|error| judge.refused(error)).collect::<Vec<_>>())?;
    let scope = OwnScope { name: judge.name(), value: &value, outer };
    let broken: Vec<Diagnostic> =
        rules.validations.iter().flat_map(|validation| judge.broken(validation, &scope)).collect();
    if broken.is_empty() { Ok(value) } else { Err(broken) }
}

struct Judge<'a> {
    node: &'a Node,
    rules: &'a ParamRules,
    sources: &'a SourceMap,
    blame: Blame<'a>,
}

impl Judge<'_> {
    fn name(&self) -> &str {
        self.node.id.name().strip_prefix("param.").unwrap_or_default()
    }

    /// A value of the wrong type.
    fn refused(&self, error: &FieldError) -> Diagnostic {
        let at = if error.path.0.is_empty() { String::new() } else { format!(", at {}", error.path) };
        let (name, kind) = (self.name(), &self.rules.kind);
        let message = format!("parameter `{name}` must be `{kind}`{at}: {}", error.kind);
        let mut diagnostic = self.at_value(Diagnostic::error(error.kind.code(), message), &error.path);
        if let Some(span) = self.rules.kind_span {
            diagnostic = diagnostic.label(span, "the type of the parameter");
        }
        self.explain(diagnostic)
    }

    /// What a condition says about the value; nothing when it holds, or is not known yet.
    fn broken(&self, validation: &Validation, scope: &OwnScope<'_>) -> Vec<Diagnostic> {
        let mut evaluator = Evaluator::new(scope, self.sources, self.node.span);
        let condition = evaluator.input(&validation.condition, &Kind::Bool);
        let Some(condition) = condition else { return evaluator.into_diagnostics() };
        if condition.find_unknown().is_some() {
            return Vec::new();
        }
        let (name, place) = (self.name(), validation.condition.span.or(self.node.span));
        match bool::from_value(condition, &Conversion::default()) {
            Ok(true) => Vec::new(),
            Ok(false) => {
                let message = match evaluator.input(&validation.message, &Kind::String) {
                    Some(Value::String(message)) => message,
                    Some(Value::Secret(_)) => "a condition does not hold; what it says is sensitive".into(),
                    Some(_) => "its condition does not hold".into(),
                    None => return evaluator.into_diagnostics(),
                };
                let message = format!("parameter `{name}`: {}", message.trim());
                let diagnostic = Diagnostic::error("invalid-param", message);
                let diagnostic = self.at_value(diagnostic, &ValuePath::default());
                vec![self.explain(labelled(
                    diagnostic,
                    validation.condition.span,
                    "this condition does not hold",
                ))]
            }
            Err(errors) => {
                let wrong = |error: &FieldError| {
                    let message = format!("the condition on parameter `{name}`: {}", error.kind);
                    labelled(Diagnostic::error(error.kind.code(), message), place, "")
                };
                errors.iter().map(wrong).collect()
            }
        }
    }

    /// Shows the value, unless it was given outside of the module or is secret: then the declaration.
    fn at_value(&self, diagnostic: Diagnostic, path: &ValuePath) -> Diagnostic {
        let value = super::value(&self.node.attributes).filter(|_| !self.rules.sensitive);
        labelled(diagnostic, value.and_then(|input| input.span_at(&path.0)).or(self.node.span), "")
    }

    /// Says where the value comes from.
    fn explain(&self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(input) = super::value(&self.node.attributes) else { return diagnostic };
        match self.node.given() {
            Some(origin) => diagnostic.help(format!("it was given {origin}")),
            None if self.rules.sensitive => match input.span {
                Some(span) => {
                    let place = self.sources.location(span);
                    diagnostic.help(format!("its value, which is not shown, is given at {place}"))
                }
                None => diagnostic,
            },
            None => self.blame.explain(diagnostic, input, None),
        }
    }
}

fn labelled(diagnostic: Diagnostic, span: Option<Span>, text: &str) -> Diagnostic {
    match span {
        Some(span) => diagnostic.label(span, text),
        None => diagnostic,
    }
}

/// What the validations of a parameter see: its value, and the machine.
struct OwnScope<'a> {
    name: &'a str,
    value: &'a Value,
    outer: &'a dyn Scope,
}

impl OwnScope<'_> {
    fn refuse<T>(&self) -> Result<T, ScopeError> {
        let name = self.name;
        Err(ScopeError::Message(format!("a validation can only use its own parameter, `{name}`")))
    }
}

impl Scope for OwnScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        if name == self.name { Ok(self.value.clone()) } else { self.refuse() }
    }

    fn lookup(&self, _: &str) -> Result<Value, ScopeError> {
        self.refuse()
    }

    fn env(&self, name: &str) -> String {
        self.outer.env(name)
    }

    fn platform(&self) -> &Platform {
        self.outer.platform()
    }

    fn machine(&self) -> Result<(), Unknown> {
        self.outer.machine()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.outer.read(path)
    }
}
