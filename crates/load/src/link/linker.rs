//! The state of linking, which turns names into edges.

use std::collections::{HashMap, HashSet};

use super::suggest::Suggestions;
use crate::analysis::constants::Constants;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{Edge, EdgeReason, Graph, NodeIndex, Targets};
use crate::model::problems::Problems;
use converge_value::types::id::NodeId;

pub(super) struct Linker<'a> {
    pub(super) graph: &'a Graph,
    /// The values by which computed keys and paths are known.
    pub(super) constants: &'a Constants,
    pub(super) suggestions: Suggestions<'a>,
    /// The reported errors by position and code, because every use of a module repeats its errors.
    pub(super) reported: HashSet<(Span, &'static str)>,
    pub(super) problems: &'a mut Problems,
    /// The collected edges by dependent node.
    pub(super) edges: Vec<(NodeIndex, Edge)>,
    /// A reused buffer for the paths of parameters.
    pub(super) path: String,
    /// The nodes that a name such as `output.url` means in all instances of a module, by its end node.
    pub(super) picked: HashMap<(NodeIndex, String), Vec<NodeIndex>>,
}

/// The place of a reference, which determines what its names mean.
#[derive(Clone, Copy)]
pub(super) struct Referrer<'a> {
    pub(super) node: NodeIndex,
    /// The container where names are looked up first.
    pub(super) container: &'a NodeId,
    /// The module whose parameters the names refer to.
    pub(super) module: &'a NodeId,
    /// The position to report if a name has none.
    pub(super) place: Option<Span>,
}

impl Linker<'_> {
    pub(super) fn edge(
        &mut self,
        from: NodeIndex,
        dependency: NodeIndex,
        reason: EdgeReason,
        span: Option<Span>,
    ) {
        self.edges.push((from, Edge { on: dependency, reason, span }));
    }

    pub(super) fn edges_to(
        &mut self,
        from: NodeIndex,
        targets: Targets<'_>,
        reason: EdgeReason,
        span: Option<Span>,
    ) {
        self.edges.extend(
            targets.as_slice().iter().map(|dependency| (from, Edge { on: *dependency, reason, span })),
        );
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span().is_none_or(|span| self.reported.insert((span, diagnostic.code))) {
            self.problems.report(diagnostic);
        }
    }
}
