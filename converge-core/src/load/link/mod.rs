//! From nodes to a graph: names become edges, and lookups are checked against what is exported.

mod cycle;
mod exports;
mod names;
mod suggest;

use std::collections::HashSet;
use std::sync::Arc;

use super::error::LinkError;
use super::lost::Lost;
use super::param;
use super::placed::{Placed, Wiring};
use super::references::Found;
use crate::graph::{Edge, EdgeReason, Graph, NodeId, NodeIndex, Role, Targets};
use crate::report::{Diagnostic, Diagnostics, SourceMap, Span};
use crate::scope::Whole;
use crate::template::ReferenceTarget;

use self::suggest::Suggest;

/// Links nodes, which have different ids.
pub(super) fn link(
    mut placed: Vec<Placed>,
    sources: Arc<SourceMap>,
    lost: &Lost,
    diagnostics: &mut Diagnostics,
) -> Graph {
    placed.sort_by_cached_key(|placed| sort_key(&placed.node.id));
    let (nodes, wirings): (Vec<_>, Vec<_>) =
        placed.into_iter().map(|Placed { node, wiring }| (node, wiring)).unzip();
    let mut graph = Graph::unconnected(nodes, sources);
    let mut linker = Linker {
        graph: &graph,
        lost,
        suggest: Suggest::default(),
        reported: HashSet::new(),
        diagnostics,
        edges: Vec::new(),
    };
    for ((index, _), wiring) in graph.nodes().zip(&wirings) {
        linker.structure(index, wiring);
        linker.names(index, wiring);
    }
    let edges = linker.edges;
    graph.connect(&edges);
    cycle::report(&graph, diagnostics);
    graph
}

/// A key that sorts as an id does. The beginning of it is at hand: to compare two ids of a large module would be to look
/// at two far places in memory.
fn sort_key(id: &NodeId) -> ([u8; 40], NodeId) {
    let mut beginning = [0; 40];
    for (slot, byte) in beginning.iter_mut().zip(id.short().bytes()) {
        *slot = byte;
    }
    (beginning, id.clone())
}

struct Linker<'a> {
    graph: &'a Graph,
    lost: &'a Lost,
    suggest: Suggest<'a>,
    /// Where something has been reported: what is wrong in a module is wrong in each use of it.
    reported: HashSet<(Span, &'static str)>,
    diagnostics: &'a mut Diagnostics,
    /// What waits, and for what.
    edges: Vec<(NodeIndex, Edge)>,
}

/// Where names are written, and so what they mean.
#[derive(Clone, Copy)]
struct From<'a> {
    /// The node that they are a part of.
    node: NodeIndex,
    /// Where they are looked for first.
    container: &'a NodeId,
    /// Whose parameters they mean.
    module: &'a NodeId,
    /// What is shown when they have no place of their own.
    place: Option<Span>,
}

impl Linker<'_> {
    fn edge(&mut self, from: NodeIndex, on: NodeIndex, reason: EdgeReason, span: Option<Span>) {
        self.edges.push((from, Edge { on, reason, span }));
    }

    fn edges_to(&mut self, from: NodeIndex, targets: Targets<'_>, reason: EdgeReason, span: Option<Span>) {
        for on in targets.as_slice() {
            self.edge(from, *on, reason, span);
        }
    }

    fn report(&mut self, error: LinkError, span: Option<Span>) {
        let diagnostic = Diagnostic::from(error);
        if span.is_none_or(|span| self.reported.insert((span, diagnostic.code))) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The edges that no name makes: to gates, and from ends.
    fn structure(&mut self, index: NodeIndex, wiring: &Wiring) {
        if let Some(gate) = wiring.gate.as_ref().and_then(|gate| self.graph.find(gate.as_str())) {
            self.edge(index, gate, EdgeReason::Gate, None);
        }
        if let Some((end, reason)) = &wiring.part_of
            && let Some(end) = self.graph.find(end.as_str())
        {
            self.edge(end, index, *reason, None);
        }
        if let Some(before) = wiring.after.as_ref().and_then(|before| self.graph.find(before.as_str())) {
            self.edge(index, before, EdgeReason::Switch, None);
        }
    }

    fn names(&mut self, index: NodeIndex, wiring: &Wiring) {
        let node = self.graph.node(index);
        let site = &*node.site;
        let place = node.span;
        // What a parameter waits for is written in its block, also when a call gives it another value.
        let own_module = if param::is_param(node) { node.id.parent() } else { None };
        let written = From { node: index, container: &site.container, module: &site.module.id, place };
        let declared = match &own_module {
            Some(module) => From { container: module, module, ..written },
            None => written,
        };
        if let Some(waits) = &wiring.waits {
            for name in &waits.depends {
                self.named(declared, name, EdgeReason::Depends);
            }
            for name in &waits.on_change_of {
                self.named(declared, name, EdgeReason::OnChange);
            }
        }
        for found in wiring.references.as_deref().unwrap_or_default() {
            self.reference(written, found);
        }
    }

    fn reference(&mut self, from: From<'_>, found: &Found) {
        match &found.target {
            ReferenceTarget::Param(name) => self.param(from, name, found),
            ReferenceTarget::Lookup(path) => self.lookup(from, path, found.span, Whole::Refused),
            ReferenceTarget::Traversal(path) => {
                self.lookup(from, path, found.span, Whole::Allowed);
            }
            // A computed name is resolved when it runs, and must then be a dependency already; the others
            // mean something in the resource itself.
            ReferenceTarget::Computed | ReferenceTarget::This(_) | ReferenceTarget::Each => {}
        }
    }

    fn param(&mut self, from: From<'_>, name: &str, found: &Found) {
        let Some(on) = self.graph.find(&from.module.param(name)) else {
            if !self.lost.explains(&format!("param.{name}")) {
                let span = found.span.or(from.place);
                let known = self.suggest.params(self.graph, from.module);
                self.report(LinkError::UnknownParam { name: name.to_owned(), known, span }, span);
            }
            return;
        };
        self.edge(from.node, on, EdgeReason::Param, found.span);
    }
}

/// Whether a node can be named by others.
fn can_be_named(role: Role) -> bool {
    role != Role::Begin
}
