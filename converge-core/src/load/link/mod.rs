//! From nodes to a graph: names become edges, and lookups are checked against what is exported.

mod cycle;
mod exports;
mod linker;
mod names;
mod suggest;

use std::collections::HashSet;
use std::sync::Arc;

use self::linker::{Linker, Referrer};
use self::suggest::Suggestions;
use super::draft::{NodeDraft, UnresolvedLinks};
use super::errors;
use super::problems::Problems;
use super::references::NameUse;
use crate::diagnostic::{Diagnostics, SourceMap};
use crate::graph::{EdgeReason, Graph, Node, NodeIndex, Role};
use crate::language::template::ReferenceTarget;
use crate::types::id::NodeId;
use crate::types::scope::Whole;

/// Links nodes, which have different ids.
pub(super) fn link(mut drafts: Vec<NodeDraft>, sources: Arc<SourceMap>, problems: &mut Problems) -> Graph {
    sort(&mut drafts);
    let mut links = Vec::with_capacity(drafts.len());
    // The nodes take the room of the drafts: this is when a load holds most.
    let split = |NodeDraft { node, links: own }| {
        links.push(own);
        node
    };
    let mut nodes: Vec<Node> = drafts.into_iter().map(split).collect();
    nodes.shrink_to_fit();
    let mut graph = Graph::unconnected(nodes, sources);
    let (suggestions, reported) = (Suggestions::new(&graph), HashSet::new());
    let edges = Vec::with_capacity(graph.len());
    let mut linker = Linker { graph: &graph, suggestions, reported, problems, edges, path: String::new() };
    for ((index, _), links) in graph.nodes().zip(&links) {
        if linker.problems.stopped().is_some() {
            break;
        }
        linker.structure(index, links);
        linker.names(index, links);
    }
    let edges = linker.edges;
    graph.connect(&edges);
    report_cycles(&graph, &mut problems.diagnostics);
    graph
}

/// Reports what waits for itself.
pub(super) fn report_cycles(graph: &Graph, diagnostics: &mut Diagnostics) {
    cycle::report(graph, diagnostics);
}

/// Sorts drafts by their ids.
fn sort(drafts: &mut [NodeDraft]) {
    // Most modules are written in an order of their own, parameters first. Generated ones are sorted but for that, and often several
    // types take turns in them. The sort makes use of what is in order already, and so each type comes by itself first.
    let of_type = |at: usize| (Arc::as_ptr(&drafts[at].node.resource), at);
    let mut of_types: Vec<_> = (0..drafts.len()).map(of_type).collect();
    of_types.sort_by_key(|(resource, _)| *resource);
    let by_id = |(_, at): (_, usize)| (sort_key(&drafts[at].node.id), at);
    let mut order: Vec<_> = of_types.into_iter().map(by_id).collect();
    order.sort();
    let mut order: Vec<usize> = order.into_iter().map(|(_, at)| at).collect();
    for place in 0..order.len() {
        // What was there before has made room for another.
        let mut from = order[place];
        while from < place {
            from = order[from];
        }
        order[place] = from;
        drafts.swap(place, from);
    }
}

/// A key that sorts as an id does. The beginning of it is at hand: to compare two ids of a large module would be to look
/// at two far places in memory.
fn sort_key(id: &NodeId) -> ([u8; 40], &NodeId) {
    let mut beginning = [0; 40];
    for (slot, byte) in beginning.iter_mut().zip(id.short().bytes()) {
        *slot = byte;
    }
    (beginning, id)
}

impl Linker<'_> {
    /// The edges that no name makes: to gates, and from ends.
    fn structure(&mut self, index: NodeIndex, links: &UnresolvedLinks) {
        let Some(links) = links.structure.as_deref() else { return };
        let graph = self.graph;
        let find = |id: &NodeId| graph.find(id.as_str());
        if let Some(gate) = links.gate.as_ref().and_then(find) {
            self.edge(index, gate, EdgeReason::Gate, None);
        }
        if let Some((end, reason)) = &links.part_of
            && let Some(end) = find(end)
        {
            self.edge(end, index, *reason, None);
        }
        if let Some(before) = links.after.as_ref().and_then(find) {
            self.edge(index, before, EdgeReason::Switch, None);
        }
    }

    fn names(&mut self, index: NodeIndex, links: &UnresolvedLinks) {
        let node = self.graph.node(index);
        let (container, module) = (&node.scope.container, &node.scope.module.id);
        let written = Referrer { node: index, container, module, place: node.span };
        if let Some(dependencies) = &links.dependencies {
            // What a parameter waits for is written in its block, also when a call gives it another value.
            let own_module = if node.role == Role::Param { node.id.parent() } else { None };
            let declared = match &own_module {
                Some(module) => Referrer { container: module, module, ..written },
                None => written,
            };
            for name in &dependencies.depends {
                self.named(declared, name, EdgeReason::Depends);
            }
            for name in &dependencies.even_after {
                self.named(declared, name, EdgeReason::EvenAfter);
            }
            for name in &dependencies.on_change_of {
                self.named(declared, name, EdgeReason::OnChange);
            }
        }
        for name in links.references.as_deref().unwrap_or_default() {
            match &name.target {
                ReferenceTarget::Param(param) => self.param(written, param, name),
                ReferenceTarget::Lookup(path) => self.lookup(written, path, name.span, Whole::Refused),
                ReferenceTarget::Traversal(path) => self.lookup(written, path, name.span, Whole::Allowed),
                // A computed name is resolved when it runs, and must then be a dependency already; the others
                // mean something in the resource itself.
                ReferenceTarget::Computed | ReferenceTarget::This(_) | ReferenceTarget::Each => {}
            }
        }
    }

    fn param(&mut self, from: Referrer<'_>, param: &str, name: &NameUse) {
        let path = &mut self.path;
        path.clear();
        path.extend([from.module.as_str(), "/param.", param]);
        if let Some(on) = self.graph.find(path) {
            self.edge(from.node, on, EdgeReason::Param, name.span);
        } else if !self.problems.unresolved.explains(&format!("param.{param}")) {
            let known = self.suggestions.params(from.module);
            self.report(errors::link::unknown_param(param, &known, name.span.or(from.place)));
        }
    }
}
