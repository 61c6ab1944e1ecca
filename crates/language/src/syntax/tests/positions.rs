//! A check that the ranges in a tree match the source.

use super::super::literal::decode;
use super::super::{Attribute, Body, ByteRange, Computed, Expression, ExpressionKind, Item, Name, SplatStep};
use super::expressions::symbol;

/// A checker for all ranges of a tree.
pub(super) struct Places<'t> {
    pub(super) text: &'t str,
}

impl Places<'_> {
    pub(super) fn body(&self, body: &Body) {
        for item in &body.items {
            match item {
                Item::Attribute(Attribute { name, value }) => {
                    self.name(name);
                    self.expression(value);
                }
                Item::Block(block) => self.body(&block.body),
            }
        }
    }

    fn raw(&self, range: &ByteRange) -> &str {
        self.text.get(range.start as usize..range.end as usize).expect("a place between characters")
    }

    fn name(&self, name: &Name) {
        let raw = self.raw(&name.range);
        if raw.starts_with('"') {
            assert_eq!(&*decode(raw), &*name.text);
        } else {
            assert_eq!(raw, &*name.text);
        }
    }

    /// Asserts that the parts lie within the range, one after the other.
    fn parts<'e>(&self, outer: &ByteRange, parts: impl IntoIterator<Item = &'e Expression>) {
        let mut offset = outer.start;
        for expression in parts {
            assert!(
                offset <= expression.range.start && expression.range.end <= outer.end,
                "{expression:?} in {outer:?}"
            );
            offset = expression.range.end;
            self.expression(expression);
        }
    }

    pub(super) fn expression(&self, tree: &Expression) {
        let range = &tree.range;
        let raw = self.raw(range);
        assert!(range.start < range.end && raw == raw.trim());
        match &tree.kind {
            // The key of an entry is also a string.
            ExpressionKind::String(text) if raw.starts_with(['"', '<']) => assert_eq!(&*decode(raw), &**text),
            ExpressionKind::String(text) => assert_eq!(raw, &**text),
            ExpressionKind::Bool(value) => assert_eq!(raw, value.to_string()),
            ExpressionKind::Int { .. } | ExpressionKind::Float(_) => {
                assert!(raw.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit()), "{raw}");
            }
            ExpressionKind::List(items) => self.parts(range, items),
            ExpressionKind::Map(entries) => {
                for (name, _) in entries {
                    self.name(name);
                }
                self.parts(range, entries.iter().map(|(_, value)| value));
            }
            ExpressionKind::Computed(computed) => self.computed(range, raw, computed),
        }
    }

    fn computed(&self, range: &ByteRange, raw: &str, computed: &Computed) {
        match computed {
            Computed::Null => assert_eq!(raw, "null"),
            Computed::Name(name) => assert_eq!(raw, &**name),
            Computed::Attribute { base, name } => {
                self.name(name);
                assert!(base.range.end < name.range.start && name.range.end == range.end);
                self.parts(range, [base]);
            }
            Computed::Index { base, index } => self.parts(range, [base, index]),
            Computed::Splat { base, steps } => {
                let indices = steps.iter().filter_map(|step| match step {
                    SplatStep::Attribute(name) => {
                        self.name(name);
                        None
                    }
                    SplatStep::Index(index) => Some(index),
                    SplatStep::Splat => None,
                });
                self.parts(range, std::iter::once(base).chain(indices));
            }
            Computed::Call { function, arguments, spread } => {
                self.name(function);
                assert_eq!(function.range.start, range.start);
                assert!(spread.as_ref().is_none_or(|spread_range| self.raw(spread_range) == "..."));
                self.parts(range, arguments);
            }
            Computed::Unary { operand, .. } => self.parts(range, [operand]),
            Computed::Binary { operator, at, left, right } => {
                assert_eq!(self.raw(at), symbol(*operator));
                assert!(left.range.end <= at.start && at.end <= right.range.start);
                self.parts(range, [left, right]);
            }
            Computed::Conditional { condition, yes, no } => self.parts(range, [condition, yes, no]),
            Computed::For(parts) => {
                self.name(&parts.value);
                parts.key.iter().for_each(|key| self.name(key));
                let optional_parts = [
                    Some(&parts.over),
                    parts.result_key.as_ref(),
                    Some(&parts.result),
                    parts.condition.as_ref(),
                ];
                self.parts(range, optional_parts.into_iter().flatten());
            }
            Computed::Map(entries) => self.parts(range, entries.iter().flat_map(|(key, value)| [key, value])),
        }
    }
}
