//! HCL resources: `demo.v2.Artist "korn" { .. }`, any number in one file.

use std::ops::Range;

use converge_core::diagnostic::{Diagnostics, FileId};
use converge_core::syntax::{
    self, Attribute, Block, Body, ByteRange, Computed, Expression, ExpressionKind, Item, Name,
};
use serde_json::Number;

use super::node::{Entry, Node, Value, error_at};

pub(super) fn read(file: FileId, text: &str) -> (Vec<Node>, Diagnostics) {
    let (body, diagnostics) = syntax::parse(file, text);
    let mut reader = Reader { file, diagnostics };
    let nodes = body.items.iter().filter_map(|item| reader.resource(item)).collect();
    (nodes, reader.diagnostics)
}

struct Reader {
    file: FileId,
    diagnostics: Diagnostics,
}

fn range(range: &ByteRange) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn text_entry(name: &str, word: &Name) -> Entry {
    let place = range(&word.range);
    let node = Node::new(Value::Text(word.text.to_string()), place.clone());
    Entry { name: name.to_owned(), at: place, node }
}

impl Reader {
    fn wrong(&mut self, place: &ByteRange, code: &'static str, message: impl Into<String>) {
        self.diagnostics.push(error_at(self.file, &range(place), code, message));
    }

    fn resource(&mut self, item: &Item) -> Option<Node> {
        let block = match item {
            Item::Block(block) => block,
            Item::Attribute(attribute) => {
                let message = "a resource is a block: `group.version.Kind \"name\" { .. }`";
                self.wrong(&attribute.name.range, "not-a-resource", message);
                return None;
            }
        };
        let [name] = block.labels.as_slice() else {
            let message = format!(
                "the block of a resource has one label, its name; this one has {}",
                block.labels.len()
            );
            self.wrong(&block.kind.range, "not-a-resource", message);
            return None;
        };
        let mut entries = vec![text_entry("type", &block.kind), text_entry("name", name)];
        entries.extend(self.body(&block.body));
        for entry in entries.iter().skip(2).filter(|entry| matches!(&*entry.name, "type" | "name" | "id")) {
            let message = format!("`{}` is already given by the first line of the block", entry.name);
            self.diagnostics.push(error_at(self.file, &entry.at, "said-twice", message));
        }
        Some(Node::new(Value::Map(entries), range(&block.kind.range).start..range(&name.range).end))
    }

    fn body(&mut self, body: &Body) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for item in &body.items {
            match item {
                Item::Attribute(Attribute { name, value }) => {
                    if let Some(node) = self.expression(value) {
                        let (name, place) = (name.text.to_string(), range(&name.range));
                        entries.push(Entry { name, at: place, node });
                    }
                }
                Item::Block(block) => self.block(block, &mut entries),
            }
        }
        entries
    }

    fn block(&mut self, block: &Block, entries: &mut Vec<Entry>) {
        if let Some(label) = block.labels.first() {
            self.wrong(
                &label.range,
                "label",
                "a block within a resource has no label: write `name = { .. }` for a map",
            );
            return;
        }
        let place = range(&block.kind.range);
        let node = Node::new(Value::Map(self.body(&block.body)), range(&block.range));
        match entries.iter_mut().find(|entry| *entry.name == *block.kind.text) {
            Some(Entry { node: Node { value: Value::Blocks(blocks), .. }, .. }) => blocks.push(node),
            Some(_) => self.wrong(
                &block.kind.range,
                "duplicate-name",
                format!("`{}` is written twice", block.kind.text),
            ),
            None => {
                let node = Node::new(Value::Blocks(vec![node]), place.clone());
                entries.push(Entry { name: block.kind.text.to_string(), at: place, node });
            }
        }
    }

    /// Reads a constant expression. Computed expressions are mistakes: no module provides their values.
    fn expression(&mut self, expression: &Expression) -> Option<Node> {
        let value = match &expression.kind {
            ExpressionKind::Bool(value) => Value::Bool(*value),
            ExpressionKind::Int { value, .. } => Value::Number((*value).into()),
            ExpressionKind::Float(value) => Value::Number(Number::from_f64(*value)?),
            ExpressionKind::String(text) => Value::Text(text.to_string()),
            ExpressionKind::List(items) => {
                Value::List(items.iter().filter_map(|item| self.expression(item)).collect())
            }
            ExpressionKind::Map(entries) => {
                let entry = |(name, value): &(Name, Expression)| {
                    let node = self.expression(value)?;
                    Some(Entry { name: name.text.to_string(), at: range(&name.range), node })
                };
                Value::Map(entries.iter().filter_map(entry).collect())
            }
            ExpressionKind::Computed(computed) if matches!(**computed, Computed::Null) => Value::Null,
            ExpressionKind::Computed(_) => {
                let message = "write a literal value: stored data are not computed";
                self.wrong(&expression.range, "computed", message);
                return None;
            }
        };
        Some(Node::new(value, range(&expression.range)))
    }
}
