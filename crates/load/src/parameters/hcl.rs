//! Parameters as HCL: `name = value`, with literal values.
//!
//! The module parser reads the file, so that a value means the same as in a module. `hcl-rs` would read HCL
//! 2, in which `0644` is 644, `1.0` is 1 and `"${HOME}"` is computed.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, FileId, Span};
use crate::syntax::{self, Attribute, Block, ByteRange, Expression, ExpressionKind, Item, Name};
use converge_value::types::value::Value;

/// A value of a file.
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) value: Value,
    /// The position of the name.
    pub(super) span: Span,
}

/// Returns the values of a file, and all errors.
pub(super) fn read(text: &str, file: FileId) -> (Vec<Entry>, Diagnostics) {
    let (body, errors) = syntax::parse(file, text);
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(errors.into_iter().map(explain_json));
    let mut entries = Vec::new();
    for item in body.items {
        match item {
            Item::Attribute(attribute) => match read_attribute(attribute, file) {
                Ok(entry) => entries.push(entry),
                Err(refused) => diagnostics.extend(refused),
            },
            Item::Block(block) => diagnostics.push(refuse_block(&block, file)),
        }
    }
    (entries, diagnostics)
}

/// Returns whether the parser reads a text without an error.
pub(super) fn is_valid(text: &str) -> bool {
    let file = crate::diagnostic::SourceMap::new().add("", text);
    syntax::parse(file, text).1.is_empty()
}

/// Returns whether a text has values and no blocks, so that it cannot be a module.
pub(super) fn has_only_values(text: &str) -> bool {
    let file = crate::diagnostic::SourceMap::new().add("", text);
    let (body, _) = syntax::parse(file, text);
    !body.items.is_empty() && body.items.iter().all(|item| matches!(item, Item::Attribute(_)))
}

fn read_attribute(Attribute { name, value }: Attribute, file: FileId) -> Result<Entry, Vec<Diagnostic>> {
    let mut computed = Vec::new();
    let value = data(value, &mut computed);
    if computed.is_empty() {
        return Ok(Entry { name: name.text, value, span: span(&name.range, file) });
    }
    let message = "a parameter file holds only literal values";
    let refuse = |range| refuse(message, span(&range, file), "text is written in quotes");
    Err(computed.into_iter().map(refuse).collect())
}

/// Converts a literal value; ranges of parts that would need evaluation are added to `computed`.
fn data(value: Expression, computed: &mut Vec<ByteRange>) -> Value {
    match value.kind {
        ExpressionKind::Bool(value) => Value::Bool(value),
        ExpressionKind::Int { value, .. } => Value::Int(value),
        ExpressionKind::Float(value) => Value::Float(value),
        ExpressionKind::String(text) => Value::String(text),
        ExpressionKind::List(items) => {
            Value::List(items.into_iter().map(|item| data(item, computed)).collect())
        }
        ExpressionKind::Map(entries) => {
            let entry = |(name, item): (Name, Expression)| (name.text.to_string(), data(item, computed));
            Value::Map(entries.into_iter().map(entry).collect())
        }
        ExpressionKind::Computed(_) => {
            computed.push(value.range);
            Value::default()
        }
    }
}

/// Replaces the parser's diagnostic for JSON text, which is about modules.
fn explain_json(diagnostic: Diagnostic) -> Diagnostic {
    match diagnostic.span() {
        Some(span) if diagnostic.code == "json-module" => {
            let message = "write the parameter file as lines of `name = value`";
            refuse(message, span, "write JSON in a file whose name ends in .json")
        }
        _ => diagnostic,
    }
}

fn refuse_block(block: &Block, file: FileId) -> Diagnostic {
    let help = format!("a map is written {} = {{ .. }}", block.kind.text);
    refuse("a parameter file holds values, not blocks", span(&block.kind.range, file), help)
}

fn refuse(message: impl Into<String>, span: Span, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error("bad-params-file", message).label(span, "").help(help)
}

fn span(range: &ByteRange, file: FileId) -> Span {
    Span::new(file, range.start as usize, range.end as usize)
}
