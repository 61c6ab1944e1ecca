//! Inputs: the text that a module gives for the fields of its resources.

use std::sync::Arc;

use crate::diagnostic::Span;
use crate::language::expression::Expression;
use crate::language::template::{Predicate, Reference, Template};
use crate::types::value::{PathSegment, Value, ValueMap};

/// The input for one field.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The index of the field in the schema of the resource type.
    pub field: usize,
    /// The value, or the way to compute it.
    pub input: Input,
    /// The span of the field name.
    pub name_span: Option<Span>,
}

/// A value of a module before it is evaluated.
#[derive(Clone, Debug)]
pub struct Input {
    /// The form of the input.
    pub kind: InputKind,
    /// The span of the input.
    pub span: Option<Span>,
}

/// The forms of an [`Input`].
///
/// The larger variants are boxed, because nearly all inputs are plain values.
#[derive(Clone, Debug)]
pub enum InputKind {
    /// A value that is known at load.
    Value(Value),
    /// A template, evaluated when the resource runs.
    Template(Box<Template>),
    /// An expression, evaluated when the resource runs.
    Expression(Box<Expression>),
    /// A predicate, which is true or false.
    Predicate(Box<Predicate>),
    /// A list with an item that is not known at load.
    List(Box<Vec<Input>>),
    /// A map or nested blocks with a part that is not known at load.
    Map(Box<Vec<(Input, Input)>>),
    /// An export of another resource; only in graphs built in Rust.
    Lookup(Arc<str>),
}

impl Input {
    /// Creates an input for a known value, without a span.
    pub fn value(value: impl Into<Value>) -> Self {
        Self { kind: InputKind::Value(value.into()), span: None }
    }

    /// Returns the value if it is known at load.
    pub fn known(&self) -> Option<&Value> {
        match &self.kind {
            InputKind::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value if all of its parts are known at load.
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
                items.iter().map(entry).collect::<Option<ValueMap<_>>>().map(Value::Map)
            }
            InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => None,
        }
    }

    /// Returns the beginning of the text that this input gives, as far as it is known at load.
    #[doc(hidden)]
    pub fn known_prefix(&self) -> &str {
        match &self.kind {
            InputKind::Value(Value::String(text)) => text,
            InputKind::Template(template) => template.known_prefix(),
            InputKind::Expression(expression) => expression.known_prefix(),
            _ => "",
        }
    }

    /// Returns the value with the parts that are known at load.
    #[doc(hidden)]
    pub fn known_part(&self) -> Value {
        match &self.kind {
            InputKind::Value(value) => value.clone(),
            InputKind::List(items) => Value::List(items.iter().map(Self::known_part).collect()),
            InputKind::Map(entries) => {
                let entry = |(name, item): &(Self, Self)| match name.known() {
                    Some(Value::String(name)) => Some((name.to_string(), item.known_part())),
                    _ => None,
                };
                let entries: Option<ValueMap<_>> = entries.iter().map(entry).collect();
                entries.map_or_else(|| Value::unknown("names that are computed"), Value::Map)
            }
            InputKind::Template(template) => match template.known() {
                Some(text) => Value::String(Arc::clone(text)),
                None => Value::unknown("a value that is computed"),
            },
            InputKind::Expression(_) | InputKind::Predicate(_) | InputKind::Lookup(_) => {
                Value::unknown("a value that is computed")
            }
        }
    }

    /// Converts fully known lists and maps to plain values.
    ///
    /// The spans of their parts are lost, so this must follow the checks that report them.
    #[doc(hidden)]
    pub fn fold(&mut self) {
        if matches!(self.kind, InputKind::List(_) | InputKind::Map(_))
            && let Some(value) = self.known_value()
        {
            self.kind = InputKind::Value(value);
        }
    }

    /// Marks all known values as secret, so that even a debug output of the graph does not show them.
    #[doc(hidden)]
    pub fn mark_secret(&mut self) {
        match &mut self.kind {
            InputKind::Value(value) => *value = std::mem::take(value).into_secret(),
            InputKind::List(items) => items.iter_mut().for_each(Self::mark_secret),
            // Names are not marked, because they tell the values apart.
            InputKind::Map(items) => items.iter_mut().for_each(|(_, item)| item.mark_secret()),
            InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => {}
        }
    }

    /// Returns the span of the value at `path`, or else that of the closest value around it.
    #[doc(hidden)]
    pub fn span_at(&self, path: &[PathSegment]) -> Option<Span> {
        match path.split_first().and_then(|(first, rest)| self.part(first).zip(Some(rest))) {
            Some((part, rest)) => part.span_at(rest).or(self.span),
            None => self.span,
        }
    }

    /// Returns the input for the value at `path`: this one, or the innermost part that contains the value.
    pub(crate) fn at(&self, path: &[PathSegment]) -> &Self {
        match path.split_first().and_then(|(first, rest)| self.part(first).zip(Some(rest))) {
            Some((part, rest)) => part.at(rest),
            None => self,
        }
    }

    /// Returns the span of the name of an entry.
    pub(crate) fn name_of(&self, segment: &PathSegment) -> Option<Span> {
        let (PathSegment::Name(name), InputKind::Map(items)) = (segment, &self.kind) else { return None };
        let entry = items.iter().find(|(key, _)| key.known().and_then(Value::as_str) == Some(name.as_str()));
        entry?.0.span
    }

    /// Returns the item or entry that a path segment refers to.
    fn part(&self, segment: &PathSegment) -> Option<&Self> {
        match (segment, &self.kind) {
            (PathSegment::Index(index), InputKind::List(items)) => items.get(*index),
            (PathSegment::Name(name), InputKind::Map(items)) => items
                .iter()
                .find(|(key, _)| key.known().and_then(Value::as_str) == Some(name.as_str()))
                .map(|(_, item)| item),
            // A repeatable block that is written once is not a list.
            (PathSegment::Index(0), InputKind::Map(_)) => Some(self),
            _ => None,
        }
    }

    /// Returns the references of this input, without those of the parts of a list or map.
    #[doc(hidden)]
    pub fn own_references(&self) -> &[Reference] {
        match &self.kind {
            InputKind::Template(template) => template.references(),
            InputKind::Expression(expression) => expression.references(),
            InputKind::Predicate(predicate) => predicate.references(),
            InputKind::Value(_) | InputKind::List(_) | InputKind::Map(_) | InputKind::Lookup(_) => &[],
        }
    }

    /// Visits every input without parts, in the order of the text.
    #[doc(hidden)]
    pub fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match &self.kind {
            InputKind::List(items) => items.iter().for_each(|item| item.for_each_leaf(visit)),
            InputKind::Map(entries) => {
                for (name, item) in entries.iter() {
                    name.for_each_leaf(visit);
                    item.for_each_leaf(visit);
                }
            }
            InputKind::Value(_)
            | InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => visit(self),
        }
    }
}
