//! From the parser's tree of a masked copy to our own, with every name and literal read from the original.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hcl_edit::Span as _;
use hcl_edit::expr::Expression as Masked;
use hcl_edit::structure::{BlockLabel, Structure};

use super::mask::{Natives, Places};
use super::tree::{Attribute, Block, Body, Expression, ExpressionKind, Item, Name};
use super::{literal, number};

/// Converts the items of one file.
pub(super) struct Lower<'a> {
    text: &'a str,
    /// Types of blocks and names of fields, which repeat through the file, are stored once.
    names: HashMap<&'a str, Arc<str>>,
}

impl<'a> Lower<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, names: HashMap::new() }
    }

    /// Adds the items of a masked copy.
    pub(super) fn items(
        &mut self,
        places: Places<'_>,
        natives: Natives,
        masked: hcl_edit::structure::Body,
        items: &mut Vec<Item>,
    ) {
        let mut item = ItemLower { file: self, places, natives };
        items.extend(masked.into_iter().filter_map(|structure| item.item(&structure)));
    }
}

/// Converts one item.
struct ItemLower<'l, 'a> {
    file: &'l mut Lower<'a>,
    places: Places<'l>,
    natives: Natives,
}

impl<'a> ItemLower<'_, 'a> {
    fn range(&self, span: Option<Range<usize>>) -> Option<Range<usize>> {
        span.map(|span| self.places.in_file(span.start)..self.places.in_file(span.end))
    }

    fn raw(&self, range: &Range<usize>) -> &'a str {
        self.file.text.get(range.clone()).unwrap_or("")
    }

    fn item(&mut self, structure: &Structure) -> Option<Item> {
        match structure {
            Structure::Attribute(attribute) => {
                let name = self.common(attribute.key.span())?;
                let value = self.expression(&attribute.value)?;
                Some(Item::Attribute(Attribute { name, value }))
            }
            Structure::Block(block) => {
                let kind = self.common(block.ident.span())?;
                let range = self.range(block.span())?;
                // Exact capacities: there is one of each for every block of the file.
                let mut labels = Vec::with_capacity(block.labels.len());
                for label in &block.labels {
                    labels.push(self.name(match label {
                        BlockLabel::Ident(name) => name.span(),
                        BlockLabel::String(text) => text.span(),
                    })?);
                }
                let mut items = Vec::with_capacity(block.body.len());
                items.extend(block.body.iter().filter_map(|structure| self.item(structure)));
                Some(Item::Block(Block { kind, labels, body: Body { items }, range: narrow(&range) }))
            }
        }
    }

    fn name(&self, span: Option<Range<usize>>) -> Option<Name> {
        let range = self.range(span)?;
        let raw = self.raw(&range);
        let text = if raw.starts_with('"') { literal::decode(raw) } else { raw.into() };
        Some(Name { text, range: narrow(&range) })
    }

    /// A name that is likely to be in the file again.
    fn common(&mut self, span: Option<Range<usize>>) -> Option<Name> {
        let range = self.range(span)?;
        let raw = self.raw(&range);
        let decode = || if raw.starts_with('"') { literal::decode(raw) } else { raw.into() };
        let text = self.file.names.entry(raw).or_insert_with(decode).clone();
        Some(Name { text, range: narrow(&range) })
    }

    fn expression(&mut self, masked: &Masked) -> Option<Expression> {
        let range = self.range(masked.span())?;
        if let Some(native) = self.natives.take(range.start) {
            return Some(native);
        }
        let raw = self.raw(&range);
        let kind = match masked {
            // Every literal is masked as a name; how it begins says what it is.
            Masked::Variable(_) => match raw.as_bytes().first()? {
                b'"' | b'<' => ExpressionKind::String(literal::decode(raw)),
                b't' => ExpressionKind::Bool(true),
                b'f' => ExpressionKind::Bool(false),
                _ => number::parse(raw).ok()?,
            },
            Masked::Array(list) if raw.starts_with('{') => {
                let mut entries = Vec::with_capacity(list.len() / 2);
                let mut parts = list.iter();
                while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
                    entries.push((self.common(key.span())?, self.expression(value)?));
                }
                ExpressionKind::Map(entries)
            }
            Masked::Array(list) => {
                let mut values = Vec::with_capacity(list.len());
                for value in list {
                    values.push(self.expression(value)?);
                }
                ExpressionKind::List(values)
            }
            _ => return None,
        };
        Some(Expression { kind, range: narrow(&range) })
    }
}

/// Offsets fit because sources are limited to 16 MiB.
fn narrow(range: &Range<usize>) -> Range<u32> {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}
