//! A graph with its places resolved.

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
    /// The edges, sorted by the node that waits.
    pub edges: Vec<EdgeRecord<'a>>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct NodeRecord<'a> {
    /// Its path.
    pub id: NodeId,
    /// The name of its type.
    #[serde(rename = "type")]
    pub resource_type: &'static str,
    /// What it is for: what is declared, or a part of the structure that holds it.
    pub role: Role,
    /// The lock that it holds while it is applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<Cow<'a, str>>,
    /// The words by which a run may choose it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Cow<'a, str>>,
    /// What a parameter is for, as the module says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// Where it is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// One reason for which a node waits for another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EdgeRecord<'a> {
    /// The node that waits.
    pub from: NodeId,
    /// The node that is waited for.
    pub to: NodeId,
    /// Why.
    pub reason: EdgeReason,
    /// The thing that both have to do with, where no name makes the one wait for the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thing: Option<ThingRecord>,
    /// Where the reference is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRecord<'a>>,
}

/// One thing of the machine that resources have to do with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ThingRecord {
    /// What kind of thing it is: `path`, `user`.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
}

impl ThingRecord {
    pub(crate) fn new(thing: &Thing, redactor: &Redactor) -> Self {
        Self { kind: thing.kind(), name: redactor.redact(thing.name()).into_owned() }
    }
}

/// The record of a graph.
pub fn graph<'a>(graph: &'a Graph, sources: &'a SourceMap) -> GraphRecord<'a> {
    let redactor = graph.sources().redactor();
    let nodes = graph.nodes().map(|(_, node)| NodeRecord {
        id: node.id.redacted(redactor),
        resource_type: node.resource.name(),
        role: node.role,
        group: node.group.as_deref().map(|group| redactor.redact(group)),
        tags: tags(node).map(|tag| redactor.redact(tag.as_str())).collect(),
        description: node.description().map(|text| redactor.redact(text)),
        place: node.span.and_then(|span| PlaceRecord::of(span, sources)),
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
            place: edge.span.and_then(|span| PlaceRecord::of(span, sources)),
        })
    });
    GraphRecord { nodes: nodes.collect(), edges: edges.collect() }
}

/// The tags of what a run can choose by them.
fn tags(node: &Node) -> impl Iterator<Item = &Tag> {
    node.tags().filter(|_| node.role.is_resource())
}
