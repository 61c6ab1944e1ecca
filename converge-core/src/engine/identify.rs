//! From a node to its identity.

use std::fmt::Write as _;

use super::identity::{Identity, hash};
use super::render::render;
use super::scope::NodeScope;
use super::shared::Shared;
use crate::graph::{Attribute, Graph, InputKind, Node, NodeIndex};

/// The identity of a node, as far as it is known by now.
pub(super) fn identity(shared: &Shared, index: NodeIndex) -> Identity {
    let (graph, node) = (&shared.graph, shared.graph.node(index));
    Identity { declared: declared(graph, node), values: values(shared, index) }
}

fn declared(graph: &Graph, node: &Node) -> String {
    let mut text = node.resource.name().to_owned();
    let mut attributes: Vec<&Attribute> = node.attributes.iter().collect();
    attributes.sort_by_key(|attribute| attribute.field);
    for Attribute { field, input, .. } in attributes {
        let name = node.resource.schema().fields.get(*field).map_or("", |field| field.name);
        // Writing to a string cannot fail.
        let _ = match (input.span, &input.kind) {
            (Some(span), _) => write!(text, "\0{name}={}", graph.sources().text(span)),
            (None, InputKind::Value(value)) => write!(text, "\0{name}={value}"),
            (None, InputKind::Lookup(path)) => write!(text, "\0{name}={path}"),
            (None, _) => write!(text, "\0{name}"),
        };
    }
    hash(&text)
}

fn values(shared: &Shared, index: NodeIndex) -> Option<String> {
    let rendered = render(&NodeScope::new(shared, index)).ok()?;
    if !rendered.unknown.is_empty() {
        return None;
    }
    let mut text = String::new();
    for value in &rendered.values {
        // A secret is shown as one, and so is nothing that could be guessed from the hash.
        let _ = match value {
            Some(value) => write!(text, "\0{value}"),
            None => write!(text, "\0\0"),
        };
    }
    Some(hash(&text))
}
