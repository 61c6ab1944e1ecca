//! What makes edges of names.

use std::collections::HashSet;

use super::suggest::Suggestions;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{Edge, EdgeReason, Graph, NodeIndex, Targets};
use crate::load::problems::Problems;
use crate::types::id::NodeId;

pub(super) struct Linker<'a> {
    pub(super) graph: &'a Graph,
    pub(super) suggestions: Suggestions<'a>,
    /// Where something has been reported: what is wrong in a module is wrong in each use of it.
    pub(super) reported: HashSet<(Span, &'static str)>,
    pub(super) problems: &'a mut Problems,
    /// What waits, and for what.
    pub(super) edges: Vec<(NodeIndex, Edge)>,
    /// The room in which paths of parameters are put together.
    pub(super) path: String,
}

/// Where names are written, and so what they mean.
#[derive(Clone, Copy)]
pub(super) struct Referrer<'a> {
    /// The node that they are a part of.
    pub(super) node: NodeIndex,
    /// Where they are looked for first.
    pub(super) container: &'a NodeId,
    /// Whose parameters they mean.
    pub(super) module: &'a NodeId,
    /// What is shown when they have no place of their own.
    pub(super) place: Option<Span>,
}

impl Linker<'_> {
    pub(super) fn edge(&mut self, from: NodeIndex, on: NodeIndex, reason: EdgeReason, span: Option<Span>) {
        self.edges.push((from, Edge { on, reason, span }));
    }

    pub(super) fn edges_to(
        &mut self,
        from: NodeIndex,
        targets: Targets<'_>,
        reason: EdgeReason,
        span: Option<Span>,
    ) {
        self.edges.extend(targets.as_slice().iter().map(|on| (from, Edge { on: *on, reason, span })));
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span().is_none_or(|span| self.reported.insert((span, diagnostic.code))) {
            self.problems.report(diagnostic);
        }
    }
}
