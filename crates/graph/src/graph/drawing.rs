//! Common parts of graph drawings: nodes inside boxes for modules, switches, cases and instances.

use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::input::{Input, InputKind};
use super::node::{Node, Role};
use crate::types::id::outside_keys;
use crate::types::value::Value;

/// The maximum length of a predicate that is shown in full, in characters.
const LONGEST: usize = 60;

pub(super) struct DrawingLine<'a> {
    /// The number of boxes around the line.
    pub(super) depth: usize,
    pub(super) element: Element<'a>,
}

pub(super) enum Element<'a> {
    /// The start of a box, with its id and title.
    Open(&'a str, &'a str),
    Close,
    Node(NodeIndex),
}

/// Returns the nodes in the order of their ids, with the boxes around them opened and closed.
///
/// A case, or the end node of a module, a switch or a `for_each`, is drawn inside its own box. Ids are sorted
/// bytewise, so other ids may come between the resources of a module. The resources are drawn together all
/// the same.
pub(super) fn lines(graph: &Graph) -> Vec<DrawingLine<'_>> {
    let mut nodes: Vec<(Vec<&str>, NodeIndex)> =
        graph.nodes().map(|(index, node)| (boxes(graph, node), index)).collect();
    nodes.sort();
    let mut lines = Vec::with_capacity(nodes.len());
    let mut open: Vec<&str> = Vec::new();
    for (boxes, index) in &nodes {
        let common = open.iter().zip(boxes).take_while(|(a, b)| a == b).count();
        while open.len() > common {
            open.pop();
            lines.push(DrawingLine { depth: open.len(), element: Element::Close });
        }
        for id in &boxes[common..] {
            lines.push(DrawingLine { depth: open.len(), element: Element::Open(id, last_part(id)) });
            open.push(id);
        }
        lines.push(DrawingLine { depth: open.len(), element: Element::Node(*index) });
    }
    while open.pop().is_some() {
        lines.push(DrawingLine { depth: open.len(), element: Element::Close });
    }
    lines
}

/// Returns the ids of the boxes around a node from the outside in; the root has no box.
fn boxes<'a>(graph: &Graph, node: &'a Node) -> Vec<&'a str> {
    let id = node.id.as_str();
    let mut boxes = Vec::new();
    let slashes = outside_keys(id).filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    let mut begin = None;
    for end in slashes.chain([id.len()]) {
        // The first part is the root.
        let Some(begin) = begin.replace(end) else { continue };
        let prefix = &id[..end];
        // An instance is inside the box of all instances.
        let key = outside_keys(prefix).filter(|(at, byte)| *at > begin && *byte == b'[').last();
        let for_each_id = key.map(|(key, _)| &prefix[..key]).filter(|all| is_for_each(graph, all));
        boxes.extend(for_each_id);
        let has_parts = matches!(node.role, Role::Module | Role::Switch | Role::Case | Role::ForEach);
        // An end node of deferred instances has no contents here.
        let ends_one = has_parts && node.deferred().is_none();
        if end < id.len() || ends_one {
            boxes.push(prefix);
        }
    }
    boxes
}

fn is_for_each(graph: &Graph, id: &str) -> bool {
    graph.find(id).is_some_and(|index| graph.node(index).role == Role::ForEach)
}

fn last_part(id: &str) -> &str {
    let slash = outside_keys(id).filter(|(_, byte)| *byte == b'/').last();
    slash.map_or(id, |(at, _)| &id[at + 1..])
}

/// The shape of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeShape {
    /// A declared resource.
    Resource,
    /// A gate, which decides whether its dependents are handled.
    Gate,
    /// A marker for the beginning or end of something.
    Point,
}

/// Returns the shape of a node and its label.
pub(super) fn label(graph: &Graph, node: &Node) -> (NodeShape, String) {
    let condition = node.meta.as_ref().and_then(|meta| meta.when.as_ref()).map(|when| predicate(graph, when));
    if let Some(deferred) = node.deferred() {
        let items = predicate(graph, &deferred.items);
        return (NodeShape::Resource, format!("{}\nfor each of {items}", node.id.name()));
    }
    match (node.role, condition) {
        (Role::Resource | Role::Param | Role::Output, None) => {
            (NodeShape::Resource, node.id.name().to_owned())
        }
        (Role::Resource | Role::Param | Role::Output, Some(when)) => {
            (NodeShape::Resource, format!("{}\nwhen {when}", node.id.name()))
        }
        (Role::Begin, None) => (NodeShape::Point, "begin".to_owned()),
        (Role::Case, None) => (NodeShape::Gate, "otherwise".to_owned()),
        (Role::Begin | Role::Case, Some(when)) => (NodeShape::Gate, when),
        (Role::Module | Role::Switch | Role::ForEach, _) => (NodeShape::Point, "end".to_owned()),
    }
}

/// Formats the source text of a predicate on one line.
#[doc(hidden)]
pub fn predicate(graph: &Graph, condition: &Input) -> String {
    let source_text = match (condition.span, &condition.kind) {
        (Some(span), _) => graph.sources().text(span).to_owned(),
        (None, InputKind::Value(Value::String(text))) => text.to_string(),
        (None, InputKind::Value(value)) => value.to_string(),
        (None, _) => "..".to_owned(),
    };
    // In an expression, the outer quotes may belong to two different strings.
    let quoted = !matches!(condition.kind, InputKind::Expression(_));
    let inner = source_text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|_| quoted);
    let inner = inner.unwrap_or(&source_text);
    let words = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = graph.sources().redactor().redact(&words);
    match words.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &words[..end]),
        None => words.into_owned(),
    }
}

/// All edges from one node to another, as one arrow.
pub(super) struct Arrow {
    pub(super) from: NodeIndex,
    pub(super) on: NodeIndex,
    pub(super) reasons: String,
    pub(super) style: LineStyle,
}

pub(super) enum LineStyle {
    /// An edge declared in a module.
    Written,
    /// An edge that follows from the boxes, between the contents of one and its beginning or end.
    Structure,
}

/// Returns the arrows, sorted by their start.
pub(super) fn arrows(graph: &Graph) -> impl Iterator<Item = Arrow> {
    graph.nodes().flat_map(move |(from, node)| {
        graph.dependencies(from).chunk_by(|a, b| a.on == b.on).filter_map(move |edges| {
            let dependency = edges.first()?.on;
            let target = graph.node(dependency).role;
            let cases = node.role == Role::Case && target == Role::Case;
            let style = if !cases && edges.iter().all(|edge| edge.reason.is_structure()) {
                // An end node always waits for its beginning, so the arrow adds nothing.
                if target.is_gate() && matches!(node.role, Role::Module | Role::Switch) {
                    return None;
                }
                LineStyle::Structure
            } else {
                LineStyle::Written
            };
            Some(Arrow { from, on: dependency, reasons: reasons(graph, from, edges), style })
        })
    })
}

fn reasons(graph: &Graph, from: NodeIndex, edges: &[Edge]) -> String {
    let reason = |edge: &Edge| match graph.reason_of(from, edge.on) {
        Some(thing) if edge.reason == EdgeReason::Footprint => thing.label(),
        _ => edge.reason.to_string(),
    };
    edges.iter().map(reason).collect::<Vec<_>>().join(", ")
}
