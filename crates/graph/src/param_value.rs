//! Validation of parameter values at load and in a run.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Limit, ReachedLimit, SourceMap, Span};
use crate::evaluate::{Evaluator, Provenance};
use crate::graph::{Node, ParamRules, Validation};
use crate::language::WorkBudget;
use crate::types::base_path::BasePath;
use crate::types::convert::FromValue;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::schema::Kind;
use crate::types::scope::{Scope, ScopeError};
use crate::types::value::{Conversion, FieldError, Unknown, Value, ValuePath};

/// Counts the value of a parameter, which is kept for the whole run.
///
/// # Errors
///
/// Fails if the values of all parameters together are too large.
pub fn keep(value: Value, scope: &dyn Scope, span: Option<Span>) -> Result<Value, Vec<Diagnostic>> {
    match scope.budget().map(|budget| (budget.keep(&value), budget.limits().work.memory)) {
        Some((Err(_), limit)) => Err(vec![too_large(limit, span)]),
        _ => Ok(value),
    }
}

/// Validates and converts the value of a parameter; `outer` provides the machine.
///
/// A condition that is still unknown is not checked.
///
/// # Errors
///
/// Fails with all reasons for which the value is rejected.
pub fn validate(
    node: &Node,
    value: Value,
    outer: &dyn Scope,
    sources: &SourceMap,
    provenance: Provenance<'_>,
) -> Result<Value, Vec<Diagnostic>> {
    let Some(rules) = node.param_rules() else { return Ok(value) };
    let validator = ParamValidator { node, rules, sources, provenance };
    let value = rules
        .take(value)
        .map_err(|errors| errors.iter().map(|error| validator.wrong_type(error)).collect::<Vec<_>>())?;
    let scope = OwnScope { name: validator.name(), value: &value, outer };
    let violations: Vec<Diagnostic> =
        rules.validations.iter().flat_map(|validation| validator.violations(validation, &scope)).collect();
    if violations.is_empty() { Ok(value) } else { Err(violations) }
}

/// Creates the diagnostic for parameters whose values are too large together.
pub fn too_large(limit: u64, span: Option<Span>) -> Diagnostic {
    let message = format!("the values of parameters take more than {limit} bytes together");
    let reached = ReachedLimit { limit: Limit::WorkMemory, most: limit };
    Diagnostic::error("too-large", message).label(span, "with this one").reached(reached)
}

struct ParamValidator<'a> {
    node: &'a Node,
    rules: &'a ParamRules,
    sources: &'a SourceMap,
    provenance: Provenance<'a>,
}

impl ParamValidator<'_> {
    fn name(&self) -> &str {
        self.node.id.name().strip_prefix("param.").unwrap_or_default()
    }

    fn wrong_type(&self, error: &FieldError) -> Diagnostic {
        let location = if error.path.0.is_empty() { String::new() } else { format!(", at {}", error.path) };
        let (name, kind) = (self.name(), &self.rules.kind);
        let message = format!("parameter `{name}` must be `{kind}`{location}: {}", error.kind);
        let diagnostic = Diagnostic::error(error.kind.code(), message)
            .label(self.value_span(&error.path), "")
            .label(self.rules.kind_span, "the type of the parameter");
        self.explain(diagnostic)
    }

    /// Evaluates a validation; returns no diagnostics if it holds or is still unknown.
    fn violations(&self, validation: &Validation, scope: &OwnScope<'_>) -> Vec<Diagnostic> {
        let mut evaluator = Evaluator::new(scope, self.sources, self.node.span);
        let condition = evaluator.input(&validation.condition, &Kind::Bool);
        let Some(condition) = condition else { return evaluator.into_diagnostics() };
        if condition.find_unknown().is_some() {
            return Vec::new();
        }
        let (name, span) = (self.name(), validation.condition.span);
        match bool::from_value(condition, &Conversion::default()) {
            Ok(true) => Vec::new(),
            Ok(false) => {
                let message = match evaluator.input(&validation.message, &Kind::String) {
                    Some(Value::String(message)) => message,
                    Some(Value::Secret(_)) => "a condition does not hold; its message is sensitive".into(),
                    Some(_) => "its condition does not hold".into(),
                    None => return evaluator.into_diagnostics(),
                };
                let message = format!("parameter `{name}`: {}", message.trim());
                let diagnostic = Diagnostic::error("invalid-param", message)
                    .label(self.value_span(&ValuePath::default()), "")
                    .label(span, "this condition does not hold");
                vec![self.explain(diagnostic)]
            }
            Err(errors) => {
                let error_diagnostic = |FieldError { kind, .. }: &FieldError| {
                    Diagnostic::error(kind.code(), format!("the condition on parameter `{name}`: {kind}"))
                        .label(span.or(self.node.span), "")
                };
                errors.iter().map(error_diagnostic).collect()
            }
        }
    }

    /// Returns the position of the value.
    ///
    /// Falls back to the declaration if the value was given outside of the module or is secret.
    fn value_span(&self, path: &ValuePath) -> Option<Span> {
        let value = self.node.param_value().filter(|_| !self.rules.sensitive);
        value.and_then(|input| input.span_at(&path.0)).or(self.node.span)
    }

    /// Adds the origin of the value to a diagnostic.
    fn explain(&self, diagnostic: Diagnostic) -> Diagnostic {
        let Some(input) = self.node.param_value() else { return diagnostic };
        match (self.node.given(), input.span) {
            (Some(origin), _) => diagnostic.help(format!("it was given {origin}")),
            (None, Some(span)) if self.rules.sensitive => {
                let place = self.sources.location(span);
                diagnostic.help(format!("its value, which is not shown, is given at {place}"))
            }
            (None, None) if self.rules.sensitive => diagnostic,
            (None, _) => self.provenance.explain(diagnostic, input, None),
        }
    }
}

/// The scope of validations: the parameter's value, and the machine.
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

    fn budget(&self) -> Option<&WorkBudget> {
        self.outer.budget()
    }

    fn functions(&self) -> &ModuleFunctions {
        self.outer.functions()
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

    fn blocks(&self) -> Result<(), Unknown> {
        self.outer.blocks()
    }

    fn hide(&self, secret: &Value) {
        self.outer.hide(secret);
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        self.outer.path(base)
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.outer.read(path)
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        self.outer.exists(path)
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        self.outer.list(folder)
    }
}
