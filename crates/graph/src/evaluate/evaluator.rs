//! Evaluation of an [`Input`] to a [`Value`].

use std::ops::Range;

use indexmap::IndexMap;

use super::locate::{expression_diagnostic, template_diagnostic};
use super::provenance::Provenance;
use crate::diagnostic::{Diagnostic, SourceMap, Span};
use crate::graph::{Input, InputKind};
use crate::language::template::Template;
use crate::language::{LanguageError, LanguageErrorKind};
use crate::types::schema::Kind;
use crate::types::scope::Scope;
use crate::types::value::Value;

/// Evaluates inputs in one scope and collects diagnostics.
#[doc(hidden)]
pub struct Evaluator<'a> {
    scope: &'a dyn Scope,
    sources: &'a SourceMap,
    /// The span for inputs without a span of their own.
    place: Option<Span>,
    provenance: Option<Provenance<'a>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Evaluator<'a> {
    #[doc(hidden)]
    pub fn new(scope: &'a dyn Scope, sources: &'a SourceMap, place: Option<Span>) -> Self {
        Self { scope, sources, place, provenance: None, diagnostics: Vec::new() }
    }

    /// Adds the origin of values to diagnostics.
    #[doc(hidden)]
    pub fn with_provenance(self, provenance: Provenance<'a>) -> Self {
        Self { provenance: Some(provenance), ..self }
    }

    #[doc(hidden)]
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Returns the value of an input, or `None` after an error.
    #[doc(hidden)]
    pub fn input(&mut self, input: &Input, kind: &Kind) -> Option<Value> {
        match &input.kind {
            InputKind::Value(value) => Some(value.clone()),
            InputKind::Template(template) => match evaluate(template, kind, self.scope) {
                Ok(value) => Some(value),
                Err(error) => self.template_failed(&error, input),
            },
            InputKind::Predicate(predicate) => match predicate.evaluate(self.scope) {
                Ok(value) => Some(value),
                Err(error) => self.template_failed(&error, input),
            },
            InputKind::Expression(expression) => match expression.evaluate(self.scope) {
                Ok(value) => Some(value),
                Err(error) => self.expression_failed(&error, input),
            },
            InputKind::Lookup(path) => match self.scope.lookup(path) {
                Ok(value) => Some(value),
                Err(error) => self.refuse("lookup", error.to_string(), input),
            },
            InputKind::List(items) => {
                let kind = match kind {
                    Kind::List(item) | Kind::OneOrMany(item) => item,
                    _ => &Kind::Any,
                };
                // Every item is evaluated, so that all errors are found.
                let items: Vec<_> = items.iter().map(|item| self.input(item, kind)).collect();
                items.into_iter().collect::<Option<_>>().map(Value::List)
            }
            InputKind::Map(entries) => self.map(entries, kind),
        }
    }

    fn template_failed(&mut self, error: &LanguageError, input: &Input) -> Option<Value> {
        let diagnostic = template_diagnostic(error, input.span.or(self.place), self.sources);
        let is_about_name = matches!(error.kind, LanguageErrorKind::Scope { .. });
        self.failed(diagnostic, is_about_name, input, &error.range)
    }

    fn expression_failed(&mut self, error: &LanguageError, input: &Input) -> Option<Value> {
        let diagnostic = expression_diagnostic(error, input.span);
        let is_about_name = matches!(error.kind, LanguageErrorKind::Scope { .. } | LanguageErrorKind::NoEach);
        self.failed(diagnostic, is_about_name, input, &error.range)
    }

    fn failed<T>(
        &mut self,
        diagnostic: Diagnostic,
        is_about_name: bool,
        input: &Input,
        range: &Range<u32>,
    ) -> Option<T> {
        self.diagnostics.push(match self.provenance {
            // An unknown name has no origin to explain.
            Some(provenance) if !is_about_name => provenance.explain(diagnostic, input, Some(range)),
            _ => diagnostic,
        });
        None
    }

    fn map(&mut self, entries: &[(Input, Input)], kind: &Kind) -> Option<Value> {
        let mut map = IndexMap::with_capacity(entries.len());
        let (mut complete, mut secret, mut unknown) = (true, false, None);
        for (name, item) in entries {
            let value = self.input(item, item_kind(kind, name));
            let mut key = self.input(name, &Kind::String);
            if let Some(Value::Secret(inner)) = key {
                secret = true;
                key = Some(*inner.into_exposed());
            }
            match (key, value) {
                (Some(Value::Unknown(name)), Some(_)) => unknown = Some(Value::Unknown(name)),
                (Some(Value::String(key)), Some(value)) => {
                    if map.insert(key.to_string(), value).is_some() {
                        let key_text = if secret { crate::types::value::REDACTED } else { &*key };
                        self.refuse("duplicate-name", format!("`{key_text}` is given twice"), name);
                        complete = false;
                    }
                }
                (Some(key), Some(_)) => {
                    let actual = key.kind();
                    self.refuse("wrong-kind", format!("a name must be a string, not {actual}"), name);
                    complete = false;
                }
                _ => complete = false,
            }
        }
        let value = unknown.unwrap_or(Value::Map(map.into()));
        complete.then(|| if secret { value.into_secret() } else { value })
    }

    fn refuse(&mut self, code: &'static str, message: String, input: &Input) -> Option<Value> {
        self.diagnostics.push(Diagnostic::error(code, message).label(input.span.or(self.place), ""));
        None
    }
}

/// Returns the kind that an entry of a map or a block accepts.
fn item_kind<'a>(kind: &'a Kind, name: &Input) -> &'a Kind {
    match kind {
        Kind::Map(item) => item,
        Kind::List(item) | Kind::OneOrMany(item) => item_kind(item, name),
        Kind::Block(block) => {
            let name = name.known().and_then(Value::as_str);
            let field = name.and_then(|name| crate::types::schema::find_field(&block.fields, name));
            field.map_or(&Kind::Any, |(_, field)| &field.kind)
        }
        _ => &Kind::Any,
    }
}

/// Evaluates a template for a field of this kind.
fn evaluate(template: &Template, kind: &Kind, scope: &dyn Scope) -> Result<Value, LanguageError> {
    if takes_text(kind) { template.render(scope) } else { template.evaluate(scope) }
}

/// Whether a field of this kind takes the result of a template as text.
///
/// A list or a map must keep its type.
pub(super) fn takes_text(kind: &Kind) -> bool {
    !matches!(kind, Kind::Any | Kind::List(_) | Kind::OneOrMany(_) | Kind::Map(_) | Kind::Block(_))
}
