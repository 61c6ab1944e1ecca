//! The items of a `for_each`, derived from its value at load or in a run.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Span};
use crate::graph::Input;
use crate::types::hash::NameSet;
use crate::types::scope::Each;
use crate::types::value::{PathSegment, Value};

/// An error in the value of a `for_each`.
#[derive(Debug, PartialEq)]
pub enum BadItems {
    /// The value is a secret, or a list that contains one.
    Secret,
    /// The value is neither a list nor a map.
    Kind { found: String },
    /// The item of the list is a map.
    Record { at: usize },
    /// The item is not text.
    Item { at: usize, found: String },
    /// The item repeats an earlier one.
    Twice { at: usize, key: Arc<str> },
}

impl BadItems {
    /// Returns whether no items can be derived from the value.
    pub fn leaves_none(&self) -> bool {
        matches!(self, Self::Secret | Self::Kind { .. })
    }

    /// Creates the diagnostic of the error.
    pub fn diagnostic(&self, input: &Input) -> Diagnostic {
        let place = |at: &usize| input.span_at(&[PathSegment::Index(*at)]);
        match self {
            Self::Secret => secret_keys(input.span),
            Self::Kind { found } => wrong_value("for_each", "a list of texts, or a map", found, input.span),
            Self::Record { at } => keyless(place(at)),
            Self::Item { at, found } => wrong_value("for_each", "made of texts", found, place(at)),
            Self::Twice { at, key } => duplicate_key(key, place(at)),
        }
    }
}

/// Derives the items of a `for_each` from a value, and collects its errors.
///
/// An item of a list is its own key, and a number counts as its text. Records need to be in a map, whose keys
/// identify them.
pub fn items_of(value: Value) -> (Vec<Each>, Vec<BadItems>) {
    if value.contains_secret() && !matches!(&value, Value::Map(_)) {
        return (Vec::new(), vec![BadItems::Secret]);
    }
    let items = match value {
        Value::Map(entries) => {
            let entry = |(key, value): (String, Value)| Each { key: key.into(), value };
            return (entries.into_iter().map(entry).collect(), Vec::new());
        }
        Value::List(items) => items,
        other => return (Vec::new(), vec![BadItems::Kind { found: other.kind().to_string() }]),
    };
    let mut bad_items = Vec::new();
    let mut texts = Vec::with_capacity(items.len());
    for (index, value) in items.into_iter().enumerate() {
        let key = match &value {
            Value::String(text) => Arc::clone(text),
            Value::Int(number) => number.to_string().into(),
            Value::Map(_) => {
                // One example is enough to explain the fix.
                if !bad_items.iter().any(|bad_item| matches!(bad_item, BadItems::Record { .. })) {
                    bad_items.push(BadItems::Record { at: index });
                }
                continue;
            }
            other => {
                bad_items.push(BadItems::Item { at: index, found: other.kind().to_string() });
                continue;
            }
        };
        texts.push((index, Each { key, value }));
    }
    // A sorted list without duplicates, such as `toset` returns, needs no further check.
    if texts.is_sorted_by(|(_, before), (_, each)| before.key < each.key) {
        return (texts.into_iter().map(|(_, each)| each).collect(), bad_items);
    }
    let mut keys = NameSet::default();
    let mut distinct = Vec::with_capacity(texts.len());
    for (index, item) in texts {
        if keys.insert(Arc::clone(&item.key)) {
            distinct.push(item);
        } else {
            bad_items.push(BadItems::Twice { at: index, key: item.key });
        }
    }
    (distinct, bad_items)
}

/// Reports a value of the wrong kind or out of range.
pub fn wrong_value(name: &str, expected: &str, actual: &str, span: Option<Span>) -> Diagnostic {
    Diagnostic::error("bad-meta-argument", format!("`{name}` must be {expected}, not {actual}"))
        .label(span, "")
}

fn secret_keys(span: Option<Span>) -> Diagnostic {
    Diagnostic::error("secret-key", "a secret cannot be given to `for_each`")
        .label(span, "")
        .help("its items become the names of instances, which are shown")
}

fn keyless(span: Option<Span>) -> Diagnostic {
    wrong_value("for_each", "a list of texts, or a map", "a list of records", span).help(
        "name each instance by a part of its record, as in for_each = { for item in LIST : item.path => item }",
    )
}

fn duplicate_key(key: &str, span: Option<Span>) -> Diagnostic {
    Diagnostic::error("duplicate-key", format!("`{key}` is twice in `for_each`"))
        .label(span, "given again here")
        .help("each item names one instance: keep one of them")
}
