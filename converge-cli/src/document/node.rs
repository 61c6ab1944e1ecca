//! The tree of what is written.

use std::ops::Range;

use converge_core::diagnostic::{Diagnostic, FileId, Span};
use serde_json::Number;

/// What is written, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) range: Range<usize>,
}

/// What is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// Blocks of one name, as only HCL has them: one of them may be meant as a value, or as a list of one.
    Blocks(Vec<Node>),
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// Where the name stands.
    pub(crate) at: Range<usize>,
    pub(crate) node: Node,
}

/// How deep values may be in each other.
pub(super) const DEPTH: usize = 64;

impl Node {
    pub(super) fn new(value: Value, range: Range<usize>) -> Self {
        Self { value, range }
    }

    /// The entry of this name.
    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.name == name),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Where the innermost part stands to which this path leads, as far as there is one.
    pub(crate) fn place(&self, path: &[Step]) -> Range<usize> {
        let mut node = self;
        let mut range = self.range.clone();
        for step in path {
            let next = match (step, &node.value) {
                (Step::Name(name), _) => node.entry(name).map(|entry| (&entry.node, entry.at.clone())),
                (Step::Index(index), Value::List(nodes) | Value::Blocks(nodes)) => {
                    nodes.get(*index).map(|node| (node, node.range.clone()))
                }
                _ => None,
            };
            let Some((inner, at)) = next else { return range };
            // A block or a list is long: its name says enough.
            range = match inner.value {
                Value::List(_) | Value::Map(_) | Value::Blocks(_) => at,
                _ => inner.range.clone(),
            };
            node = inner;
        }
        range
    }

    /// What it is, for people.
    pub(super) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(number) if number.is_f64() => "a number with a fraction",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
            Value::Blocks(blocks) if blocks.len() == 1 => "a block",
            Value::Blocks(_) => "several blocks",
        }
    }
}

/// A step on the way to a part.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Step {
    Name(String),
    Index(usize),
}

/// What is wrong at a place of a file.
pub(super) fn wrong(
    file: FileId,
    at: &Range<usize>,
    code: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    let span = Span::new(file, at.start, at.end);
    Diagnostic::error(code, message).label(span, "")
}
