//! The tree of a parsed document.

use std::ops::Range;

use converge_client::PathStep;
use converge_core::diagnostic::{Diagnostic, FileId, Span};
use serde_json::Number;

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) range: Range<usize>,
}

/// A parsed value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// Blocks with one name, which only HCL has: a single block may stand for a value or for a list of one.
    Blocks(Vec<Node>),
}

/// A name with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The range of the name.
    pub(crate) at: Range<usize>,
    pub(crate) node: Node,
}

/// The maximum depth of nested values.
pub(super) const DEPTH: usize = 64;

impl Node {
    pub(super) fn new(value: Value, range: Range<usize>) -> Self {
        Self { value, range }
    }

    /// Returns the entry with this name.
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

    /// Returns the range of the innermost existing part on a path.
    pub(crate) fn place(&self, path: &[PathStep]) -> Range<usize> {
        let mut node = self;
        let mut range = self.range.clone();
        for step in path {
            let next = match (step, &node.value) {
                (PathStep::Name(name), _) => node.entry(name).map(|entry| (&entry.node, entry.at.clone())),
                (PathStep::Index(index), Value::List(nodes) | Value::Blocks(nodes)) => {
                    nodes.get(*index).map(|node| (node, node.range.clone()))
                }
                _ => None,
            };
            let Some((inner, name_range)) = next else { return range };
            // A block or a list is long, so only its name is marked.
            range = match inner.value {
                Value::List(_) | Value::Map(_) | Value::Blocks(_) => name_range,
                _ => inner.range.clone(),
            };
            node = inner;
        }
        range
    }

    /// Returns the kind of the value for messages.
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

/// Returns a diagnostic at a range of a file.
pub(super) fn error_at(
    file: FileId,
    at: &Range<usize>,
    code: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    let span = Span::new(file, at.start, at.end);
    Diagnostic::error(code, message).label(span, "")
}
