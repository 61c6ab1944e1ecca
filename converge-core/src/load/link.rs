//! From nodes to a graph: names become edges, and lookups are checked against what is exported.

use std::collections::HashMap;
use std::sync::Arc;

use super::declaration::{Checked, Word};
use super::error::{CycleStep, LoadError};
use super::lost::Lost;
use super::lower::template_span;
use crate::graph::{Edge, EdgeReason, Graph, Input, InputKind, Node, NodeId, NodeIndex, resolve_path};
use crate::report::{Diagnostics, SourceMap, Span};
use crate::schema::{ExportField, Shape};
use crate::template::ReferenceTarget;

/// How many names are compared with wrong ones for suggestions. Each wrong name is compared with all the
/// names of its module, so without an end a large module in which every reference is wrong would take
/// time that grows with its square.
const MAX_COMPARISONS: usize = 200_000;

/// Links nodes, each with what its `depends` names.
pub(super) fn link(
    nodes: Vec<Checked>,
    sources: Arc<SourceMap>,
    lost: &Lost,
    diagnostics: &mut Diagnostics,
) -> Graph {
    let nodes = unique(nodes, diagnostics);
    let index = nodes
        .iter()
        .enumerate()
        .map(|(at, Checked { node, .. })| (node.id.clone(), NodeIndex::new(at)))
        .collect();
    let mut linker =
        Linker { nodes: &nodes, index, sources: &sources, lost, comparisons: MAX_COMPARISONS, diagnostics };
    let dependencies = (0..nodes.len()).map(|at| linker.edges(at)).collect();
    let nodes = nodes.into_iter().map(|checked| checked.node).collect();
    let graph = Graph::new(nodes, dependencies, sources);
    for cycle in graph.cycles() {
        let name = |index| graph.node(index).id.short().to_owned();
        let steps = cycle.steps.iter().map(|(from, edge)| CycleStep {
            from: name(*from),
            to: name(edge.on),
            reason: edge.reason,
            span: edge.span.or(graph.node(*from).span),
        });
        diagnostics.push(LoadError::Cycle { steps: steps.collect() }.into());
    }
    graph
}

/// Sorts by id; of two nodes with one id the first is kept and both are shown.
fn unique(mut nodes: Vec<Checked>, diagnostics: &mut Diagnostics) -> Vec<Checked> {
    // Stable, so that of two with one id the one that is written first comes first.
    nodes.sort_by(|a, b| a.node.id.cmp(&b.node.id));
    nodes.dedup_by(|Checked { node: again, .. }, Checked { node: first, .. }| {
        let duplicate = again.id == first.id;
        if duplicate {
            let name = first.id.name().to_owned();
            diagnostics
                .push(LoadError::DuplicateResource { name, first: first.span, second: again.span }.into());
        }
        duplicate
    });
    nodes
}

struct Linker<'a> {
    nodes: &'a [Checked],
    index: HashMap<NodeId, NodeIndex>,
    sources: &'a SourceMap,
    lost: &'a Lost,
    /// How many names may still be compared with wrong ones.
    comparisons: usize,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Linker<'a> {
    fn edges(&mut self, at: usize) -> Vec<Edge> {
        let Checked { node, depends, on_change_of } = &self.nodes[at];
        let mut edges = Vec::new();
        for name in depends {
            edges.extend(self.named(node, name, EdgeReason::Depends));
        }
        for name in on_change_of {
            edges.extend(self.named(node, name, EdgeReason::OnChange));
        }
        for attribute in node.attributes.iter() {
            self.input(node, &attribute.input, &mut edges);
        }
        edges
    }

    fn resolve<'p>(&self, from: &NodeId, path: &'p str) -> Option<(NodeIndex, Vec<&'p str>)> {
        resolve_path(&from.parent()?, path, |id| self.index.get(id).copied())
    }

    /// What `depends` or `on_change_of` names.
    fn named(&mut self, node: &Node, name: &Word, reason: EdgeReason) -> Option<Edge> {
        match self.resolve(&node.id, &name.text) {
            Some((on, field)) if field.is_empty() => Some(Edge { on, reason, span: name.span }),
            _ => {
                self.unknown_resource(node, &name.text, reason, name.span.or(node.span));
                None
            }
        }
    }

    fn unknown_resource(&mut self, node: &Node, path: &str, reason: EdgeReason, span: Option<Span>) {
        if self.lost.explains(path) {
            return;
        }
        // What a lookup could mean has as many parts as a resource name; the rest names an export.
        let given: Vec<&str> = path.split('.').collect();
        let known = self.siblings(node).into_iter().map(|name| {
            let parts = name.split('.').count();
            match given.get(parts..) {
                Some(export) if reason == EdgeReason::Lookup && !export.is_empty() => {
                    format!("{name}.{}", export.join("."))
                }
                _ => name.to_owned(),
            }
        });
        let known = known.collect();
        self.diagnostics
            .push(LoadError::UnknownResource { path: path.to_owned(), reason, known, span }.into());
    }

    /// Names of the other nodes of the same module, to compare a wrong name with; none when enough have
    /// been compared.
    fn siblings(&mut self, node: &Node) -> Vec<&'a str> {
        let Some(left) = self.comparisons.checked_sub(self.nodes.len()) else { return Vec::new() };
        self.comparisons = left;
        let scope = node.id.scope();
        let ids = self.nodes.iter().map(|checked| &checked.node.id);
        ids.filter(|id| **id != node.id && id.scope() == scope).map(NodeId::name).collect()
    }

    fn input(&mut self, node: &Node, input: &Input, edges: &mut Vec<Edge>) {
        match &input.kind {
            InputKind::Value(_) => {}
            InputKind::List(items) => items.iter().for_each(|item| self.input(node, item, edges)),
            InputKind::Map(items) => {
                for (name, item) in items {
                    self.input(node, name, edges);
                    self.input(node, item, edges);
                }
            }
            InputKind::Expression(_) | InputKind::Predicate(_) => {}
            InputKind::Lookup(path) => edges.extend(self.lookup(node, path, input.span)),
            InputKind::Template(template) => {
                for reference in template.references() {
                    let span =
                        input.span.map(|literal| template_span(&reference.range, literal, self.sources));
                    let edge = match &reference.target {
                        ReferenceTarget::Param(name) => self.param(node, name, span),
                        ReferenceTarget::Lookup(path) => self.lookup(node, path, span),
                        // Resolved when it runs, and must then be a dependency already.
                        ReferenceTarget::Computed
                        | ReferenceTarget::Traversal(_)
                        | ReferenceTarget::This(_)
                        | ReferenceTarget::Each => None,
                    };
                    edges.extend(edge);
                }
            }
        }
    }

    fn param(&mut self, node: &Node, name: &str, span: Option<Span>) -> Option<Edge> {
        let param = node.id.parent().and_then(|scope| self.index.get(&scope.child(&format!("param.{name}"))));
        if let Some(&on) = param {
            return Some(Edge { on, reason: EdgeReason::Param, span });
        }
        if self.lost.explains(&format!("param.{name}")) {
            return None;
        }
        let known = self.siblings(node).into_iter().filter_map(|name| name.strip_prefix("param."));
        let known = known.map(str::to_owned).collect();
        let span = span.or(node.span);
        self.diagnostics.push(LoadError::UnknownParam { name: name.to_owned(), known, span }.into());
        None
    }

    fn lookup(&mut self, node: &Node, path: &str, span: Option<Span>) -> Option<Edge> {
        let span = span.or(node.span);
        let Some((on, field)) = self.resolve(&node.id, path) else {
            self.unknown_resource(node, path, EdgeReason::Lookup, span);
            return None;
        };
        let target = &self.nodes[on.as_usize()].node;
        let exports = &target.resource.schema().exports;
        let resource = target.id.name().to_owned();
        let names = |exports: &[ExportField]| exports.iter().map(|export| export.name.to_owned()).collect();
        if field.is_empty() {
            let exports = names(exports);
            self.diagnostics.push(LoadError::MissingExport { resource, exports, span }.into());
        } else if let Err((wrong, known)) = check_exports(exports, &field) {
            let error = LoadError::UnknownExport {
                resource,
                wrong: wrong.to_owned(),
                field: field.join("."),
                known: names(known),
                span,
            };
            self.diagnostics.push(error.into());
        }
        Some(Edge { on, reason: EdgeReason::Lookup, span })
    }
}

/// Whether a path of names leads to an export. Where it does not: the name that is wrong, and the ones
/// that there are in its place.
fn check_exports<'a, 'p>(
    exports: &'a [ExportField],
    path: &[&'p str],
) -> Result<(), (&'p str, &'a [ExportField])> {
    let Some((first, rest)) = path.split_first() else { return Ok(()) };
    let found = exports.iter().find(|export| export.name.eq_ignore_ascii_case(first));
    match (&found.ok_or((*first, exports))?.shape, rest.first()) {
        (Shape::Struct(inner), _) => check_exports(inner, rest),
        (Shape::Plain, Some(next)) => Err((*next, &[])),
        (Shape::Open, _) | (Shape::Plain, None) => Ok(()),
    }
}
