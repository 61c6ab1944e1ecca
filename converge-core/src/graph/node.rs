//! Nodes: what a module declares, with templates parsed and names resolved.

use std::sync::Arc;

use indexmap::IndexMap;

use super::NodeId;
use crate::registry::ResourceType;
use crate::report::Span;
use crate::template::Template;
use crate::value::Value;

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
    /// A list with at least one item that is not known at load.
    List(Vec<Input>),
    /// A map with at least one name or value that is not known at load.
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

/// A literal map of inputs folds to one value when everything in it is known.
pub(crate) fn fold_map(items: Vec<(Input, Input)>, span: Option<Span>) -> Input {
    let known = |(name, item): &(Input, Input)| {
        matches!(name.known(), Some(Value::String(_))) && item.known().is_some()
    };
    if !items.iter().all(known) {
        return Input { kind: InputKind::Map(items), span };
    }
    let mut map = IndexMap::with_capacity(items.len());
    for (name, item) in items {
        if let (InputKind::Value(Value::String(name)), InputKind::Value(item)) = (name.kind, item.kind) {
            map.insert(name.to_string(), item);
        }
    }
    Input { kind: InputKind::Value(Value::Map(map)), span }
}

/// A literal list of inputs folds to one value when everything in it is known.
pub(crate) fn fold_list(items: Vec<Input>, span: Option<Span>) -> Input {
    if !items.iter().all(|item| item.known().is_some()) {
        return Input { kind: InputKind::List(items), span };
    }
    let values = items.into_iter().filter_map(|item| match item.kind {
        InputKind::Value(value) => Some(value),
        _ => None,
    });
    Input { kind: InputKind::Value(Value::List(values.collect())), span }
}
