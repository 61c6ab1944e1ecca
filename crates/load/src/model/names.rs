//! Validity and uniqueness of the names that a module declares.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;

use crate::diagnostic::Span;
use crate::language::template::Template;
use converge_value::types::hash::{NameHasher, NameMap};

/// Returns whether a text can be part of an ID, where `["` and `"]` enclose the key of an instance.
pub(crate) fn is_name(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let has_no_other_meaning = || {
        !name.contains('/')
            && Template::is_literal(name)
            && !name.contains("[\"")
            && !name.contains(char::is_control)
    };
    !name.is_empty() && (name.bytes().all(is_word) || has_no_other_meaning())
}

/// Returns whether all names are distinct; a hash collision may give a false negative.
fn are_different<'n>(names: impl Iterator<Item = &'n str>) -> bool {
    let hasher = NameHasher::default();
    // A hash table of the names of a large module would take ten times as much memory.
    let mut sorted: Vec<u64> = names.map(|name| hasher.hash_one(name)).collect();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}

/// Keeps the first item of each name; calls `report` for the others with both positions.
pub(crate) fn unique<T>(
    items: Vec<T>,
    name_and_span: impl for<'i> Fn(&'i T) -> (&'i str, Option<Span>),
    mut report: impl FnMut(&str, Option<Span>, Option<Span>),
) -> Vec<T> {
    if are_different(items.iter().map(|item| name_and_span(item).0)) {
        return items;
    }
    let mut first_spans: NameMap<&str, Option<Span>> = NameMap::default();
    first_spans.reserve(items.len());
    let mut first = Vec::with_capacity(items.len());
    for item in &items {
        let (name, span) = name_and_span(item);
        first.push(match first_spans.entry(name) {
            Entry::Vacant(entry) => {
                entry.insert(span);
                true
            }
            Entry::Occupied(entry) => {
                report(name, *entry.get(), span);
                false
            }
        });
    }
    items.into_iter().zip(first).filter_map(|(item, is_first)| is_first.then_some(item)).collect()
}
