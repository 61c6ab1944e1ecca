//! Names of what a module declares.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::diagnostic::Span;

/// Whether a text can be part of an id. Within `["` and `"]` stands the key of an instance.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains('/')
        && !name.contains("{{")
        && !name.contains("[\"")
        && !name.contains(char::is_control)
}

/// Keeps the first of each name; the others are given to `report` with the place of the first.
pub(super) fn unique<T>(
    items: Vec<T>,
    name_and_span: impl Fn(&T) -> (&str, Option<Span>),
    mut report: impl FnMut(&str, Option<Span>, Option<Span>),
) -> Vec<T> {
    let mut seen: HashMap<String, Option<Span>> = HashMap::with_capacity(items.len());
    let mut is_first = |item: &T| {
        let (name, span) = name_and_span(item);
        match seen.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(span);
                true
            }
            Entry::Occupied(entry) => {
                report(name, *entry.get(), span);
                false
            }
        }
    };
    items.into_iter().filter(|item| is_first(item)).collect()
}
