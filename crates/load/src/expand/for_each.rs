//! Expansion of `for_each`: an instance for each item of a list or each entry of a map.
//!
//! Numbers in a list of keys count as their text. Secrets are refused because keys become names, and names
//! are shown.

use std::sync::Arc;

use converge_graph::for_each::{BadItems, items_of};

use super::expander::{Expander, NodeContainer};
use super::meta_arguments::Evaluated;
use crate::diagnostic::Span;
use crate::graph::{Deferred, Input, InputKind, LexicalScope, Meta, Pattern, Role};
use crate::model::draft::UnresolvedLinks;
use crate::model::references;
use crate::sdk::registry::ResourceType;
use converge_value::types::id::NodeId;
use converge_value::types::scope::Each;
use converge_value::types::value::Value;

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
