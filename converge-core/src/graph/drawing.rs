//! What drawings of a graph have in common: nodes within the modules, switches, cases and instances that hold
//! them.

use super::dependency_graph::Graph;
use super::edge::{Edge, EdgeReason};
use super::index::NodeIndex;
use super::input::{Input, InputKind};
use super::node::{Node, Role};
use crate::types::id::outside_keys;
use crate::types::value::Value;

/// The longest predicate that is shown whole, in characters.
const LONGEST: usize = 60;

pub(super) struct DrawingLine<'a> {
    /// How many boxes are around it.
    pub(super) depth: usize,
    pub(super) element: Element<'a>,
}

pub(super) enum Element<'a> {
    /// The box of this id begins, with this title.
    Open(&'a str, &'a str),
    Close,
    Node(NodeIndex),
}

/// The nodes in the order of their ids, with the boxes around them opened and closed. The node that stands for the
/// end of a module, a switch or a `for_each`, or for a case, is in the box of what it stands for.
///
/// Ids are compared byte by byte, so the resources of a module may have others between them; they
/// are drawn together all the same.
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

/// The ids of what is around a node, from the outside in; the root has no box.
fn boxes<'a>(graph: &Graph, node: &'a Node) -> Vec<&'a str> {
    let id = node.id.as_str();
    let mut boxes = Vec::new();
    let slashes = outside_keys(id).filter(|(_, byte)| *byte == b'/').map(|(at, _)| at);
    let mut begin = None;
    for end in slashes.chain([id.len()]) {
        // The first part is the root.
        let Some(begin) = begin.replace(end) else { continue };
        let part = &id[..end];
        // An instance is in the box of all instances.
        let key = outside_keys(part).filter(|(at, byte)| *at > begin && *byte == b'[').last();
        let all = key.map(|(key, _)| &part[..key]).filter(|all| is_for_each(graph, all));
        boxes.extend(all);
        let has_parts = matches!(node.role, Role::Module | Role::Switch | Role::Case | Role::ForEach);
        // What stands for instances that only a run knows has nothing in it here.
        let ends_one = has_parts && node.deferred().is_none();
        if end < id.len() || ends_one {
            boxes.push(part);
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

/// How a node looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeShape {
    /// Something that is declared.
    Resource,
    /// It decides whether what waits for it is handled.
    Gate,
    /// It only says that something is begun or done.
    Point,
}

/// How a node looks, and what is written in it.
pub(super) fn label(graph: &Graph, node: &Node) -> (NodeShape, String) {
    let when = node.meta.as_ref().and_then(|meta| meta.when.as_ref()).map(|when| predicate(graph, when));
    if let Some(deferred) = node.deferred() {
        let items = predicate(graph, &deferred.items);
        return (NodeShape::Resource, format!("{}\nfor each of {items}", node.id.name()));
    }
    match (node.role, when) {
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

/// A predicate as it is written, on one line.
pub(crate) fn predicate(graph: &Graph, when: &Input) -> String {
    let written = match (when.span, &when.kind) {
        (Some(span), _) => graph.sources().text(span).to_owned(),
        (None, InputKind::Value(Value::String(text))) => text.to_string(),
        (None, InputKind::Value(value)) => value.to_string(),
        (None, _) => "..".to_owned(),
    };
    // In an expression, quotes may begin and end two different texts.
    let quoted = !matches!(when.kind, InputKind::Expression(_));
    let inner = written.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|_| quoted);
    let inner = inner.unwrap_or(&written);
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
    /// It is written in a module.
    Written,
    /// It follows from the boxes: between what is in one and its beginning or end.
    Structure,
}

/// The arrows, sorted by where they begin.
pub(super) fn arrows(graph: &Graph) -> impl Iterator<Item = Arrow> {
    graph.nodes().flat_map(move |(from, node)| {
        graph.dependencies(from).chunk_by(|a, b| a.on == b.on).filter_map(move |edges| {
            let on = edges.first()?.on;
            let target = graph.node(on).role;
            let cases = node.role == Role::Case && target == Role::Case;
            let style = if !cases && edges.iter().all(|edge| edge.reason.is_structure()) {
                // What ends waits for what began: that says nothing new.
                if target.is_gate() && matches!(node.role, Role::Module | Role::Switch) {
                    return None;
                }
                LineStyle::Structure
            } else {
                LineStyle::Written
            };
            Some(Arrow { from, on, reasons: reasons(graph, from, edges), style })
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
