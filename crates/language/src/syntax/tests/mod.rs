//! Tests of the parser from text to tree, with one aspect per file.

mod errors;
mod expression_laws;
mod expressions;
mod forms;
mod literals;
mod original;
mod positions;
mod printer;
mod properties;

use serde_json::{Value as Json, json};

use super::{Attribute, Block, Body, ByteRange, Expression, ExpressionKind, Item, parse};
use crate::diagnostic::{Diagnostics, FileId, SourceMap, Span};

/// A source text and its parse result.
struct Parsed {
    sources: SourceMap,
    file: FileId,
    body: Body,
    diagnostics: Diagnostics,
}

fn parsed(text: &str) -> Parsed {
    let mut sources = SourceMap::new();
    let file = sources.add("a.hcl", text);
    let (body, diagnostics) = parse(file, text);
    Parsed { sources, file, body, diagnostics }
}

impl Parsed {
    fn at(&self, range: &ByteRange) -> String {
        let position = self.sources.position(Span { file: self.file, start: range.start, end: range.end });
        format!("{}:{}", position.line, position.column)
    }

    fn items(&self, body: &Body) -> Json {
        body.items.iter().map(|item| self.item(item)).collect()
    }

    fn item(&self, item: &Item) -> Json {
        match item {
            Item::Attribute(Attribute { name, value }) => {
                json!({ "at": self.at(&name.range), "key": *name.text, "val": value_json(value) })
            }
            Item::Block(Block { kind, labels, body, range }) => {
                let keys: Vec<&str> = std::iter::once(kind).chain(labels).map(|name| &*name.text).collect();
                json!({ "at": self.at(range), "body": self.items(body), "keys": keys })
            }
        }
    }
}

fn value_json(value: &Expression) -> Json {
    match &value.kind {
        ExpressionKind::Bool(value) => json!(value),
        ExpressionKind::Int { value, .. } => json!(value),
        ExpressionKind::Float(value) if value.fract() == 0.0 => {
            json!(format!("{value}").parse::<i64>().unwrap())
        }
        ExpressionKind::Float(value) => json!(value),
        ExpressionKind::String(text) => json!(**text),
        ExpressionKind::List(items) => items.iter().map(value_json).collect(),
        ExpressionKind::Map(items) => Json::Object(
            items.iter().map(|(name, value)| (name.text.to_string(), value_json(value))).collect(),
        ),
        ExpressionKind::Computed(_) => json!("an expression"),
    }
}
