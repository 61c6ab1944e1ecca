//! Checks that every span is within the text and on character boundaries.

use std::ops::Range;

use converge_core::diagnostic::Diagnostics;
use converge_core::syntax::{Body, Expression, ExpressionKind, Item, Name};

pub(crate) fn range(text: &str, range: &Range<u32>) {
    let bytes = range.start as usize..range.end as usize;
    assert!(text.get(bytes).is_some(), "{range:?} is not a part of {text:?}");
}

pub(crate) fn diagnostics(text: &str, diagnostics: &Diagnostics) {
    for label in diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels) {
        range(text, &(label.span.start..label.span.end));
    }
}

pub(crate) fn body(text: &str, tree: &Body) {
    for item in &tree.items {
        match item {
            Item::Attribute(attribute) => {
                name(text, &attribute.name);
                expression(text, &attribute.value);
            }
            Item::Block(block) => {
                range(text, &block.range);
                name(text, &block.kind);
                block.labels.iter().for_each(|label| name(text, label));
                body(text, &block.body);
            }
        }
    }
}

fn name(text: &str, name: &Name) {
    range(text, &name.range);
}

fn expression(text: &str, tree: &Expression) {
    range(text, &tree.range);
    match &tree.kind {
        ExpressionKind::List(items) => items.iter().for_each(|item| expression(text, item)),
        ExpressionKind::Map(entries) => entries.iter().for_each(|(key, value)| {
            name(text, key);
            expression(text, value);
        }),
        _ => {}
    }
}
