//! Parameters as HCL: `name = value`, with values that are written as they are.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::report::{Diagnostic, Diagnostics, FileId, Span};
use crate::syntax::{self, ByteRange, Expression, ExpressionKind, Item};
use crate::value::Value;

/// One of the values of a file.
pub(super) struct Entry {
    pub(super) name: Arc<str>,
    pub(super) value: Value,
    /// Where its name is written.
    pub(super) span: Span,
}

/// The values of a file, and everything that is wrong with it.
pub(super) fn read(text: &str, file: FileId) -> (Vec<Entry>, Diagnostics) {
    let (body, mut diagnostics) = syntax::parse(file, text);
    let mut reader = Reader { file, diagnostics: &mut diagnostics };
    let values = body.items.into_iter().filter_map(|item| reader.item(item)).collect();
    diagnostics.sort();
    (values, diagnostics)
}

struct Reader<'a> {
    file: FileId,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn span(&self, range: &ByteRange) -> Span {
        Span::new(self.file, range.start as usize, range.end as usize)
    }

    fn refuse<T>(
        &mut self,
        message: impl Into<String>,
        range: &ByteRange,
        help: impl Into<String>,
    ) -> Option<T> {
        let span = self.span(range);
        self.diagnostics.push(Diagnostic::error("bad-params-file", message).label(span, "").help(help));
        None
    }

    fn item(&mut self, item: Item) -> Option<Entry> {
        match item {
            Item::Attribute(attribute) => {
                let span = self.span(&attribute.name.range);
                let value = self.value(attribute.value)?;
                Some(Entry { name: attribute.name.text, value, span })
            }
            Item::Block(block) => {
                let help = format!("a map is written {} = {{ .. }}", block.kind.text);
                self.refuse("a file of parameters holds values, and no blocks", &block.kind.range, help)
            }
        }
    }

    fn value(&mut self, expression: Expression) -> Option<Value> {
        Some(match expression.kind {
            ExpressionKind::Bool(value) => Value::Bool(value),
            ExpressionKind::Int { value, .. } => Value::Int(value),
            ExpressionKind::Float(value) => Value::Float(value),
            ExpressionKind::String(text) => Value::String(text),
            ExpressionKind::List(items) => {
                // Every item is looked at, so that all errors are found.
                let items: Vec<_> = items.into_iter().map(|item| self.value(item)).collect();
                Value::List(items.into_iter().collect::<Option<_>>()?)
            }
            ExpressionKind::Map(entries) => {
                let entries: Vec<_> = entries
                    .into_iter()
                    .map(|(name, item)| Some((name.text.to_string(), self.value(item)?)))
                    .collect();
                Value::Map(entries.into_iter().collect::<Option<IndexMap<_, _>>>()?)
            }
            ExpressionKind::Native(_) => {
                let message = "a file of parameters holds values that are written as they are";
                return self.refuse(message, &expression.range, "text is written in quotes");
            }
        })
    }
}
