//! What a module writes for the fields of its resources.

use std::sync::Arc;

use crate::diagnostic::Span;
use crate::language::expression::Expression;
use crate::language::template::{Predicate, Reference, Template};
use crate::types::value::{PathSegment, Value, ValueMap};

/// What was written for one field.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Index of the field in the schema of the resource's type.
    pub field: usize,
    /// The value, or how to get it.
    pub input: Input,
    /// Where the name of the field is written.
    pub name_span: Option<Span>,
}

/// A value of a module before it is rendered.
#[derive(Clone, Debug)]
pub struct Input {
    /// What it is.
    pub kind: InputKind,
    /// Where it is written.
    pub span: Option<Span>,
}

/// The forms of an [`Input`]. Nearly all are no lists and no maps, and take less room as these are boxed.
#[derive(Clone, Debug)]
pub enum InputKind {
    /// Known at load.
    Value(Value),
    /// A template. It is known only when the resource runs.
    Template(Box<Template>),
    /// A computed expression. It is known only when the resource runs.
    Expression(Box<Expression>),
    /// A text that is true or false.
    Predicate(Box<Predicate>),
    /// A list of which something is not known at load.
    List(Box<Vec<Input>>),
    /// A map, or nested blocks, of which something is not known at load.
    Map(Box<Vec<(Input, Input)>>),
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
                items.iter().map(entry).collect::<Option<ValueMap<_>>>().map(Value::Map)
            }
            InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => None,
        }
    }

    /// The value as far as it is known at load.
    pub(crate) fn known_part(&self) -> Value {
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
            InputKind::Template(_)
            | InputKind::Expression(_)
            | InputKind::Predicate(_)
            | InputKind::Lookup(_) => {}
        }
    }

    /// Where the value at the end of `path` is written; the closest place around it when it has none
    /// of its own.
    pub(crate) fn span_at(&self, path: &[PathSegment]) -> Option<Span> {
        match path.split_first().and_then(|(first, rest)| self.part(first).zip(Some(rest))) {
            Some((part, rest)) => part.span_at(rest).or(self.span),
            None => self.span,
        }
    }

    /// What gives the value at the end of `path`: this input, or the part of it that is closest to that value.
    pub(crate) fn at(&self, path: &[PathSegment]) -> &Self {
        match path.split_first().and_then(|(first, rest)| self.part(first).zip(Some(rest))) {
            Some((part, rest)) => part.at(rest),
            None => self,
        }
    }

    /// Where the name of an entry is written.
    pub(crate) fn name_of(&self, segment: &PathSegment) -> Option<Span> {
        let (PathSegment::Name(name), InputKind::Map(items)) = (segment, &self.kind) else { return None };
        let found = items.iter().find(|(key, _)| key.known().and_then(Value::as_str) == Some(name.as_str()));
        found?.0.span
    }

    /// The item or entry that a step of a path leads to.
    fn part(&self, segment: &PathSegment) -> Option<&Self> {
        match (segment, &self.kind) {
            (PathSegment::Index(index), InputKind::List(items)) => items.get(*index),
            (PathSegment::Name(name), InputKind::Map(items)) => items
                .iter()
                .find(|(key, _)| key.known().and_then(Value::as_str) == Some(name.as_str()))
                .map(|(_, item)| item),
            // A block that may be repeated and is written once.
            (PathSegment::Index(0), InputKind::Map(_)) => Some(self),
            _ => None,
        }
    }

    /// The references of this one input; what is inside of a list or a map has its own.
    pub(crate) fn own_references(&self) -> &[Reference] {
        match &self.kind {
            InputKind::Template(template) => template.references(),
            InputKind::Expression(expression) => expression.references(),
            InputKind::Predicate(predicate) => predicate.references(),
            InputKind::Value(_) | InputKind::List(_) | InputKind::Map(_) | InputKind::Lookup(_) => &[],
        }
    }

    /// Goes through every input that has parts of its own nowhere, in the order of the text.
    pub(crate) fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
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
