//! Expansion of `for_each`: an instance for each item of a list or each entry of a map.
//!
//! Numbers in a list of keys count as their text. Secrets are refused because keys become names, and names
//! are shown.

use std::sync::Arc;

use super::expander::{Expander, NodeContainer};
use super::meta_arguments::Evaluated;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{Deferred, Input, InputKind, LexicalScope, Meta, Pattern, Role};
use crate::load::errors;
use crate::load::model::draft::UnresolvedLinks;
use crate::load::model::references;
use crate::load::types::meta_arguments::MetaArgument;
use crate::sdk::registry::ResourceType;
use crate::types::hash::NameSet;
use crate::types::id::NodeId;
use crate::types::scope::Each;
use crate::types::value::{PathSegment, Value};

impl Expander<'_> {
    /// Creates the end node that represents all instances.
    pub(super) fn end_of_instances(
        &mut self,
        id: &NodeId,
        resource: &Arc<ResourceType>,
        span: Option<Span>,
        container: &NodeContainer,
    ) {
        if self.reserve(span).is_some() {
            let node = container.structure(id, (Role::ForEach, resource), span);
            self.push(node, container.links());
        }
    }

    /// Creates the end node of instances that only a run knows.
    ///
    /// The node waits for all dependencies of the items, so that instances can start as soon as they are
    /// known.
    pub(super) fn end_of_deferred(
        &mut self,
        (id, resource, span): (&NodeId, &Arc<ResourceType>, Option<Span>),
        items: &Input,
        meta: Meta,
        container: &NodeContainer,
    ) {
        if self.reserve(span).is_none() {
            return;
        }
        let deferred = Deferred { items: items.clone(), pattern: Arc::new(Pattern::empty(id)) };
        let mut node = container.structure(id, (Role::ForEach, resource), span);
        node.meta = Meta { deferred: Some(Box::new(deferred)), ..meta }.into_box();
        let names = references::collect([(items, None)], &self.files.map).into();
        self.push(node, UnresolvedLinks { references: Some(names), ..container.links() });
    }

    pub(super) fn items(&mut self, input: &Input, scope: &LexicalScope) -> Items {
        let value = match self.evaluate(input, scope) {
            None => return Items::None,
            // A template always results in text, which is an error here.
            Some(Evaluated::KnownInRun(_)) if matches!(input.kind, InputKind::Template(_)) => Value::from(""),
            Some(Evaluated::KnownInRun(_)) => return Items::KnownInRun,
            Some(Evaluated::Known(value)) => value,
        };
        let (items, bad_items) = items_of(value);
        let stops = bad_items.iter().any(BadItems::leaves_none);
        for bad_item in &bad_items {
            self.report(bad_item.diagnostic(input));
        }
        if stops { Items::None } else { Items::Known(items) }
    }
}

/// The items of a `for_each`, as far as they are known at load.
pub(super) enum Items {
    Known(Vec<Each>),
    /// The items depend on something that only a run knows.
    KnownInRun,
    /// There was an error, or the items are provided only when the module runs.
    None,
}

/// An error in the value of a `for_each`.
#[derive(Debug, PartialEq)]
pub(crate) enum BadItems {
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
    fn leaves_none(&self) -> bool {
        matches!(self, Self::Secret | Self::Kind { .. })
    }

    /// Creates the diagnostic of the error.
    pub(crate) fn diagnostic(&self, input: &Input) -> Diagnostic {
        let name = MetaArgument::ForEach.name();
        let place = |at: &usize| input.span_at(&[PathSegment::Index(*at)]);
        match self {
            Self::Secret => errors::meta::secret_keys(input.span),
            Self::Kind { found } => {
                errors::meta::wrong_value(name, "a list of texts, or a map", found, input.span)
            }
            Self::Record { at } => errors::meta::keyless(place(at)),
            Self::Item { at, found } => errors::meta::wrong_value(name, "made of texts", found, place(at)),
            Self::Twice { at, key } => errors::meta::duplicate_key(key, place(at)),
        }
    }
}

/// Derives the items of a `for_each` from a value, and collects its errors.
///
/// An item of a list is its own key, and a number counts as its text. Records need to be in a map, whose keys
/// identify them.
pub(crate) fn items_of(value: Value) -> (Vec<Each>, Vec<BadItems>) {
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
