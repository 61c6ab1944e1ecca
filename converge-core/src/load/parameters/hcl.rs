//! Parameters as HCL: `name = value`, with values that are written as they are.
//!
//! The parser of modules reads the file, so that a value means what it means in a module. `hcl-rs` would read HCL 2, in which
//! `0644` is 644, `1.0` is 1 and `"${HOME}"` is computed.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, FileId, Span};
use crate::syntax::{self, Attribute, Block, ByteRange, Expression, ExpressionKind, Item, Name};
use crate::types::value::Value;

/// One of the values of a file.
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) value: Value,
    /// Where its name is written.
    pub(super) span: Span,
}

/// The values of a file, and everything that is wrong with it.
pub(super) fn read(text: &str, file: FileId) -> (Vec<Entry>, Diagnostics) {
    let (body, wrong) = syntax::parse(file, text);
    let mut diagnostics = Diagnostics::new();
    diagnostics.extend(wrong.into_iter().map(explain_json));
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

/// Whether a text holds values and no blocks, so that it cannot be a module.
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
    let message = "a file of parameters holds values that are written as they are";
    let refuse = |range| refuse(message, span(&range, file), "text is written in quotes");
    Err(computed.into_iter().map(refuse).collect())
}

/// The value that is written, with nothing in the places that are `computed`.
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

/// The parser helps those who write modules as JSON.
fn explain_json(diagnostic: Diagnostic) -> Diagnostic {
    match diagnostic.span() {
        Some(span) if diagnostic.code == "json-module" => {
            let message = "a file of parameters holds lines of `name = value`";
            refuse(message, span, "the name of a file of JSON ends in .json")
        }
        _ => diagnostic,
    }
}

fn refuse_block(block: &Block, file: FileId) -> Diagnostic {
    let help = format!("a map is written {} = {{ .. }}", block.kind.text);
    refuse("a file of parameters holds values, and no blocks", span(&block.kind.range, file), help)
}

fn refuse(message: impl Into<String>, span: Span, help: impl Into<String>) -> Diagnostic {
    Diagnostic::error("bad-params-file", message).label(span, "").help(help)
}

fn span(range: &ByteRange, file: FileId) -> Span {
    Span::new(file, range.start as usize, range.end as usize)
}
