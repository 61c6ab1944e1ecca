//! Nodes: what a module declares, with templates parsed and names resolved.

use std::sync::Arc;

use indexmap::IndexMap;

use super::NodeId;
use crate::registry::ResourceType;
use crate::report::Span;
use crate::template::Template;
use crate::value::{PathSegment, Value};

/// One declared resource.
#[derive(Debug)]
#[non_exhaustive]
pub struct Node {
    /// Its path.
    pub id: NodeId,
    /// Its type.
    pub resource: Arc<ResourceType>,
    /// What was written for its fields, in the order of the source.
    pub attributes: Vec<Attribute>,
    /// The lock that it holds while it is applied.
    pub group: Option<Arc<str>>,
    /// Where it is declared: the type and name of its block. `None` when it was built in Rust.
    pub span: Option<Span>,
}

/// What was written for one field.
#[derive(Debug)]
pub struct Attribute {
    /// Index of the field in the schema of the resource's type.
    pub field: usize,
    /// The value, or how to get it.
    pub input: Input,
    /// Where the name of the field is written.
    pub name_span: Option<Span>,
}

/// A value of a module before it is rendered.
#[derive(Debug)]
pub struct Input {
    /// What it is.
    pub kind: InputKind,
    /// Where it is written.
    pub span: Option<Span>,
}

/// The forms of an [`Input`].
#[derive(Debug)]
pub enum InputKind {
    /// Known at load.
    Value(Value),
    /// A template. It is known only when the resource runs.
    Template(Box<Template>),
    /// A list of which something is not known at load.
    List(Vec<Input>),
    /// A map, or nested blocks, of which something is not known at load.
    Map(Vec<(Input, Input)>),
    /// The exported value of another resource; only for graphs built in Rust.
    Lookup(Arc<str>),
}

impl Input {
    /// A value that is known at load, from nowhere in a file.
    pub fn value(value: impl Into<Value>) -> Self {
        Self { kind: InputKind::Value(value.into()), span: None }
    }

    /// The value when it is known at load.
    pub fn known(&self) -> Option<&Value> {
        match &self.kind {
            InputKind::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The value when everything inside is known at load.
    pub fn known_value(&self) -> Option<Value> {
        match &self.kind {
            InputKind::Value(value) => Some(value.clone()),
            InputKind::List(items) => {
                items.iter().map(Self::known_value).collect::<Option<_>>().map(Value::List)
            }
            InputKind::Map(items) => {
                let entry = |(name, item): &(Self, Self)| match name.known() {
                    Some(Value::String(name)) => Some((name.to_string(), item.known_value()?)),
                    _ => None,
                };
                items.iter().map(entry).collect::<Option<IndexMap<_, _>>>().map(Value::Map)
            }
            InputKind::Template(_) | InputKind::Lookup(_) => None,
        }
    }

    /// Lists and maps of which everything is known become one value. The places of what is inside are
    /// then gone, so this comes after the checks that point at them.
    pub(crate) fn fold(&mut self) {
        if matches!(self.kind, InputKind::List(_) | InputKind::Map(_))
            && let Some(value) = self.known_value()
        {
            self.kind = InputKind::Value(value);
        }
    }

    /// Marks everything that is known as secret, so that not even a graph that is printed to find a
    /// mistake shows it.
    pub(crate) fn mark_secret(&mut self) {
        match &mut self.kind {
            InputKind::Value(value) => *value = std::mem::take(value).into_secret(),
            InputKind::List(items) => items.iter_mut().for_each(Self::mark_secret),
            // Names stay: they say which value is which.
            InputKind::Map(items) => items.iter_mut().for_each(|(_, item)| item.mark_secret()),
            InputKind::Template(_) | InputKind::Lookup(_) => {}
        }
    }

    /// Where the value at the end of `path` is written; the closest place around it when it has none
    /// of its own.
    pub(crate) fn span_at(&self, path: &[PathSegment]) -> Option<Span> {
        let inner = match (path.first(), &self.kind) {
            (Some(PathSegment::Index(index)), InputKind::List(items)) => items.get(*index),
            (Some(PathSegment::Name(name)), InputKind::Map(items)) => items
                .iter()
                .find(|(key, _)| key.known().and_then(Value::as_str) == Some(name.as_str()))
                .map(|(_, item)| item),
            // A block that may be repeated and is written once.
            (Some(PathSegment::Index(0)), InputKind::Map(_)) => return self.span_at(&path[1..]),
            _ => None,
        };
        inner.and_then(|item| item.span_at(&path[1..])).or(self.span)
    }

    /// Calls `visit` for every template inside, with the place of its string.
    pub fn visit_templates<'a>(&'a self, visit: &mut impl FnMut(&'a Template, Option<Span>)) {
        match &self.kind {
            InputKind::Template(template) => visit(template, self.span),
            InputKind::List(items) => items.iter().for_each(|item| item.visit_templates(visit)),
            InputKind::Map(items) => {
                for (name, item) in items {
                    name.visit_templates(visit);
                    item.visit_templates(visit);
                }
            }
            InputKind::Value(_) | InputKind::Lookup(_) => {}
        }
    }
}
