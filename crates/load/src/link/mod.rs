//! Linking of nodes to a graph: names become edges, and lookups are checked against exports.

mod computed_keys;
mod cycle;
mod exports;
mod linker;
mod names;
mod suggest;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use self::linker::{Linker, Referrer};
use self::suggest::Suggestions;
use super::errors;
use crate::analysis::constants::Constants;
use crate::diagnostic::{Diagnostics, SourceMap, Span};
use crate::graph::{EdgeReason, Graph, Node, NodeIndex, Role};
use crate::language::template::ReferenceTarget;
use crate::model::draft::{NodeDraft, UnresolvedLinks};
use crate::model::problems::Problems;
use converge_value::types::id::NodeId;
use converge_value::types::scope::Whole;

/// Links nodes, which must have distinct IDs.
pub(super) fn link(
    mut drafts: Vec<NodeDraft>,
    sources: Arc<SourceMap>,
    constants: &Constants,
    problems: &mut Problems,
) -> Graph {
    drafts.sort_unstable_by(|a, b| a.node.id.cmp(&b.node.id));
    let mut links = Vec::with_capacity(drafts.len());
    // Memory use peaks here, so the nodes reuse the allocation of the drafts.
    let split = |NodeDraft { node, links: own }| {
        links.push(own);
        node
    };
    let mut nodes: Vec<Node> = drafts.into_iter().map(split).collect();
    nodes.shrink_to_fit();
    let mut graph = Graph::unconnected(nodes, sources);
    let (suggestions, reported) = (Suggestions::new(&graph), HashSet::new());
    let edges = Vec::with_capacity(graph.len());
    let mut linker = Linker {
        graph: &graph,
        constants,
        suggestions,
        reported,
        problems,
        edges,
        path: String::new(),
        picked: HashMap::new(),
    };
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

/// Reports cycles of nodes that wait for each other.
pub(super) fn report_cycles(graph: &Graph, diagnostics: &mut Diagnostics) {
    cycle::report(graph, diagnostics);
}

impl Linker<'_> {
    /// Adds the edges that follow from the structure: to gates, and from end nodes.
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
        let referrer = Referrer { node: index, container, module, place: node.span };
        if let Some(dependencies) = &links.dependencies {
            // The `depends` of a parameter is in its block, even when a call provides the value.
            let own_module = if node.role == Role::Param { node.id.parent() } else { None };
            let declared = match &own_module {
                Some(module) => Referrer { container: module, module, ..referrer },
                None => referrer,
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
            if let ReferenceTarget::TemplateFile(path) = &name.target {
                let references = self.constants.references_of_file(path, &node.scope, self.graph.sources());
                for reference in references {
                    self.target(referrer, &reference.target, name.span);
                }
            }
            self.target(referrer, &name.target, name.span);
        }
    }

    fn target(&mut self, from: Referrer<'_>, target: &ReferenceTarget, span: Option<Span>) {
        match target {
            ReferenceTarget::Param(param) => self.param(from, param, span),
            ReferenceTarget::Lookup(path) => self.lookup(from, path, span, Whole::Refused),
            ReferenceTarget::Traversal(path) => self.lookup(from, path, span, Whole::Allowed),
            ReferenceTarget::Picked(name) => self.picked(from, name, span),
            // A computed name is resolved during the run, and must already be a dependency then. A file in a
            // file is an error of the call. The others refer to the resource itself.
            ReferenceTarget::Computed
            | ReferenceTarget::TemplateFile(_)
            | ReferenceTarget::This(_)
            | ReferenceTarget::Each => {}
        }
    }

    fn param(&mut self, from: Referrer<'_>, param: &str, span: Option<Span>) {
        let path = &mut self.path;
        path.clear();
        path.extend([from.module.as_str(), "/param.", param]);
        if let Some(dependency) = self.graph.find(path) {
            self.edge(from.node, dependency, EdgeReason::Param, span);
        } else if !self.problems.unresolved.explains(&format!("param.{param}")) {
            let params = self.suggestions.params(from.module);
            self.report(errors::link::unknown_param(param, &params, span.or(from.place)));
        }
    }
}
