//! Computation of the identity of a node.

use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;

use super::rendering::{evaluate, render};
use super::scope::{LARGE, NodeScope};
use crate::events::error::EngineError;
use crate::graph::{Attribute, Graph, InputKind, Node, NodeIndex};
use crate::persistence::refresh_identity::{Identity, hash};
use crate::tables::run_tables::Shared;
use crate::types::budget::is_larger;

/// Returns the identity of a node as far as it is known now.
///
/// Large nodes are evaluated on the blocking pool.
pub(crate) fn identity<'a>(
    shared: &'a Arc<Shared>,
    index: NodeIndex,
) -> Pin<Box<dyn Future<Output = Result<Identity, EngineError>> + Send + 'a>> {
    Box::pin(evaluate(shared, index, identity_in_scope))
}

fn identity_in_scope(scope: &NodeScope<'_>) -> Identity {
    let graph = &scope.shared().graph;
    let node = graph.node(scope.index());
    // The result of deferred work is discarded, so nothing is computed here.
    if is_long(graph, node) && scope.defers_much() {
        return Identity { declared: String::new(), values: None };
    }
    Identity { declared: declared(graph, node), values: values(scope) }
}

/// Whether the declared fields of a node are large.
fn is_long(graph: &Graph, node: &Node) -> bool {
    let mut left = LARGE;
    !node.attributes.iter().all(|Attribute { input, .. }| {
        let bytes = match (input.span, &input.kind) {
            (Some(span), _) => graph.sources().text(span).len() as u64,
            (None, InputKind::Value(value)) if is_larger(value, LARGE) => return false,
            (None, _) => 0,
        };
        left.checked_sub(bytes).inspect(|rest| left = *rest).is_some()
    })
}

fn declared(graph: &Graph, node: &Node) -> String {
    let mut text = String::new();
    add_declared(graph, node, &mut text);
    hash(&text)
}

fn add_declared(graph: &Graph, node: &Node, text: &mut String) {
    text.push_str(node.resource.name());
    let mut attributes: Vec<&Attribute> = node.attributes.iter().collect();
    attributes.sort_by_key(|attribute| attribute.field);
    for Attribute { field, input, .. } in attributes {
        let name = node.resource.schema().fields.get(*field).map_or("", |field| field.name);
        let _ = match (input.span, &input.kind) {
            (Some(span), _) => write!(text, "\0{name}={}", graph.sources().text(span)),
            (None, InputKind::Value(value)) => write!(text, "\0{name}={value}"),
            (None, InputKind::Lookup(path)) => write!(text, "\0{name}={path}"),
            (None, _) => write!(text, "\0{name}"),
        };
    }
    // The identity of an end node covers its instances.
    if let Some(deferred) = node.deferred() {
        let items = deferred.items.span.map(|span| graph.sources().text(span)).unwrap_or_default();
        let _ = write!(text, "\0for_each={items}");
        for node in deferred.pattern.nodes() {
            text.push('\0');
            add_declared(graph, node, text);
        }
    }
}

fn values(scope: &NodeScope<'_>) -> Option<String> {
    if scope.shared().graph.node(scope.index()).deferred().is_some() {
        return None;
    }
    let rendered = render(scope).ok()?;
    if !rendered.unknown.is_empty() || rendered.is_large && scope.defers_much() {
        return None;
    }
    let mut text = String::new();
    for value in &rendered.values {
        // Secrets are hidden, so that nothing can be guessed from the hash.
        let _ = match value {
            Some(value) => write!(text, "\0{value}"),
            None => write!(text, "\0\0"),
        };
    }
    Some(hash(&text))
}
