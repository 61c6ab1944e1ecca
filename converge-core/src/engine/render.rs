//! From what a module says about a node to the values of its fields.

use indexmap::IndexMap;

use super::scope::NodeScope;
use crate::graph::{Graph, Input, InputKind, Node};
use crate::load::template_diagnostic;
use crate::report::Diagnostic;
use crate::schema::Kind;
use crate::template::{Scope, Template, TemplateError};
use crate::value::{Unknown, Value};

/// The rendered fields of a node.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Values by the index of their field.
    pub(super) values: Vec<Option<Value>>,
    /// Names of the fields that are not known yet, and what each waits for.
    pub(super) unknown: Vec<(&'static str, Unknown)>,
}

/// Renders every field of a node.
///
/// # Errors
///
/// Everything that could not be rendered.
pub(super) fn render(graph: &Graph, node: &Node, scope: &NodeScope<'_>) -> Result<Rendered, Vec<Diagnostic>> {
    let fields = &node.resource.schema().fields;
    let mut rendered = Rendered { values: vec![None; fields.len()], unknown: Vec::new() };
    let mut run = Render { graph, node, scope, diagnostics: Vec::new() };
    for attribute in &node.attributes {
        let (Some(field), Some(slot)) =
            (fields.get(attribute.field), rendered.values.get_mut(attribute.field))
        else {
            continue;
        };
        let Some(value) = run.input(&attribute.input, &field.kind) else { continue };
        // What is known at load was looked through then.
        if !matches!(attribute.input.kind, InputKind::Value(_))
            && let Some(unknown) = value.find_unknown()
        {
            rendered.unknown.push((field.name, unknown.clone()));
        }
        *slot = Some(if field.sensitive { value.into_secret() } else { value });
    }
    if run.diagnostics.is_empty() { Ok(rendered) } else { Err(run.diagnostics) }
}

struct Render<'a> {
    graph: &'a Graph,
    node: &'a Node,
    scope: &'a NodeScope<'a>,
    diagnostics: Vec<Diagnostic>,
}

impl Render<'_> {
    /// The value of an input; `None` after an error.
    fn input(&mut self, input: &Input, kind: &Kind) -> Option<Value> {
        match &input.kind {
            InputKind::Value(value) => Some(value.clone()),
            InputKind::Template(template) => match evaluate(template, kind, self.scope) {
                Ok(value) => Some(value),
                Err(error) => {
                    let place = input.span.or(self.node.span);
                    self.diagnostics.push(template_diagnostic(&error, place, self.graph.sources()));
                    None
                }
            },
            InputKind::Lookup(path) => match self.scope.lookup(path) {
                Ok(value) => Some(value),
                Err(error) => self.refuse("lookup", error.to_string(), input),
            },
            InputKind::List(items) => {
                let kind = match kind {
                    Kind::List(item) => item,
                    _ => &Kind::Any,
                };
                // Every item is looked at, so that all errors are found.
                let items: Vec<_> = items.iter().map(|item| self.input(item, kind)).collect();
                items.into_iter().collect::<Option<_>>().map(Value::List)
            }
            InputKind::Map(entries) => self.map(entries, kind),
        }
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
                        let shown = if secret { crate::value::REDACTED } else { &*key };
                        self.refuse("duplicate-name", format!("`{shown}` is given twice"), name);
                        complete = false;
                    }
                }
                (Some(key), Some(_)) => {
                    let found = key.kind();
                    self.refuse("wrong-kind", format!("a name must be a string, not {found}"), name);
                    complete = false;
                }
                _ => complete = false,
            }
        }
        let value = unknown.unwrap_or(Value::Map(map));
        complete.then(|| if secret { value.into_secret() } else { value })
    }

    fn refuse(&mut self, code: &'static str, message: String, input: &Input) -> Option<Value> {
        let diagnostic = Diagnostic::error(code, message);
        self.diagnostics.push(match input.span.or(self.node.span) {
            Some(span) => diagnostic.label(span, ""),
            None => diagnostic,
        });
        None
    }
}

/// What the entry of a map or of a block takes.
fn item_kind<'a>(kind: &'a Kind, name: &Input) -> &'a Kind {
    match kind {
        Kind::Map(item) => item,
        Kind::List(item) => item_kind(item, name),
        Kind::Block(block) => {
            let name = name.known().and_then(Value::as_str);
            let field = name.and_then(|name| crate::schema::find_field(&block.fields, name));
            field.map_or(&Kind::Any, |(_, field)| &field.kind)
        }
        _ => &Kind::Any,
    }
}

/// Runs a template for a field of this kind. Only text is sure to be wanted as text; a list or a map must
/// stay what it is.
fn evaluate(template: &Template, kind: &Kind, scope: &dyn Scope) -> Result<Value, TemplateError> {
    match kind {
        Kind::Any | Kind::List(_) | Kind::Map(_) | Kind::Block(_) => template.evaluate(scope),
        _ => template.render(scope),
    }
}
