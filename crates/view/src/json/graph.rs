//! Graphs as JSON, with resolved source places.

use std::borrow::Cow;

use serde::Serialize;

use super::PlaceRecord;
use crate::diagnostic::SourceMap;
use crate::graph::{EdgeReason, Graph, Node, NodeId, Role, Tag};
use crate::redact::Redactor;
use crate::types::footprint::Thing;

/// A [`Graph`] as lists of nodes and edges, in the order of the graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct GraphRecord<'a> {
    /// The nodes, sorted by id.
    pub nodes: Vec<NodeRecord<'a>>,
    /// The edges, sorted by the waiting node.
    pub edges: Vec<EdgeRecord<'a>>,
}

/// A node of a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeRecord<'a> {
    /// The path of the node.
    pub id: NodeId,
    /// The name of the resource type.
    #[serde(rename = "type")]
    pub resource_type: &'static str,
    /// The role of the node: a declared resource, or a part of the structure around it.
    pub role: Role,
    /// The lock that the node holds while it is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Cow<'a, str>>,
    /// The tags that can select the node for a run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Cow<'a, str>>,
    /// The description of a parameter in its module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// The place of the declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// An edge: one reason why a node waits for another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EdgeRecord<'a> {
    /// The waiting node.
    pub from: NodeId,
    /// The node that is waited for.
    pub to: NodeId,
    /// The reason of the edge.
    pub reason: EdgeReason,
    /// The thing that both nodes manage or use, if the edge is inferred and not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thing: Option<ThingRecord>,
    /// The place of the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// A thing on the machine that resources manage or use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThingRecord {
    /// The kind of the thing: `path`, `user`.
    pub kind: &'static str,
    /// The name of the thing.
    pub name: String,
}

impl ThingRecord {
    pub(crate) fn new(thing: &Thing, redactor: &Redactor) -> Self {
        Self { kind: thing.kind(), name: redactor.redact(thing.name()).into_owned() }
    }
}

/// Converts a graph to a record.
pub fn graph<'a>(graph: &'a Graph, sources: &'a SourceMap) -> GraphRecord<'a> {
    let redactor = graph.sources().redactor();
    let nodes = graph.nodes().map(|(_, node)| NodeRecord {
        id: node.id.redacted(redactor),
        resource_type: node.resource.name(),
        role: node.role,
        group: node.group.as_deref().map(|group| redactor.redact(group)),
        tags: tags(node).map(|tag| redactor.redact(tag.as_str())).collect(),
        description: node.description().map(|text| redactor.redact(text)),
        place: node.span.and_then(|span| PlaceRecord::resolve(span, sources)),
    });
    let edges = graph.nodes().flat_map(|(index, node)| {
        graph.dependencies(index).iter().map(move |edge| EdgeRecord {
            from: node.id.redacted(redactor),
            to: graph.node(edge.on).id.redacted(redactor),
            reason: edge.reason,
            thing: graph
                .reason_of(index, edge.on)
                .filter(|_| edge.reason == EdgeReason::Footprint)
                .map(|thing| ThingRecord::new(thing, redactor)),
            place: edge.span.and_then(|span| PlaceRecord::resolve(span, sources)),
        })
    });
    GraphRecord { nodes: nodes.collect(), edges: edges.collect() }
}

/// Returns the tags of a resource node; a run cannot select other nodes.
fn tags(node: &Node) -> impl Iterator<Item = &Tag> {
    node.tags().filter(|_| node.role.is_resource())
}
