//! What the structure of a module decides about the resources in it.
//!
//! Later cases of a switch of which a plan cannot know the case stay open, unless their own predicate is false.

use std::collections::HashMap;
use std::sync::Arc;

use crate::engine::node_flags::{CERTAIN, NOT_TAKEN, SWITCH_OPEN, SWITCH_TAKEN, TOUCHED};
use crate::engine::outcome::Outcome;
use crate::engine::report::{ResourceReport, Skipped};
use crate::engine::run_tables::Shared;
use crate::graph::{Graph, NodeIndex, Role};
use crate::sdk::context::RunMode;

/// What is to be done with a node whose dependencies have all ended.
#[derive(Debug)]
pub(super) enum Disposition {
    /// It is worked on.
    Work,
    /// A part of the structure that has nothing to do.
    Pass,
    /// Something that it depends on failed.
    Skip(Halted),
    /// It is not handled, because the module says so.
    NotTaken(Arc<Skipped>),
    /// Plan: whether it is handled is not known.
    Undecided(Arc<Skipped>),
}

/// Why what waits for a node is skipped.
#[derive(Clone, Debug)]
pub(super) struct Halted {
    /// What they report.
    pub(super) skipped: Arc<Skipped>,
    /// Whether a run is a success all the same.
    pub(super) forgiven: bool,
}

/// What the gates of a graph decided so far.
#[derive(Debug, Default)]
pub(super) struct GateDecisions {
    not_taken: HashMap<NodeIndex, Arc<Skipped>>,
    undecided: HashMap<NodeIndex, Arc<Skipped>>,
}

impl GateDecisions {
    /// What the gates in front of a node mean for it. `None` when they let it through.
    pub(super) fn stop(&self, shared: &Shared, index: NodeIndex) -> Option<Disposition> {
        let gate = shared.graph.gate(index)?;
        if let Some(skipped) = self.not_taken.get(&gate) {
            return Some(Disposition::NotTaken(Arc::clone(skipped)));
        }
        self.undecided.get(&gate).map(|skipped| Disposition::Undecided(Arc::clone(skipped)))
    }

    /// What the cases before a case mean for it. `None` when it may be taken.
    pub(super) fn stop_case(&self, shared: &Shared, index: NodeIndex) -> Option<Disposition> {
        let graph = &shared.graph;
        let node = graph.node(index);
        if node.role != Role::Case {
            return None;
        }
        let before = graph.case_before(index).filter(|before| shared.flags.has(*before, SWITCH_TAKEN))?;
        // Once a case is taken the others say the same one after the other.
        let reason = match self.not_taken.get(&before) {
            Some(skipped) => skipped.reason.clone(),
            None => format!("another case, {}, was taken", case_name(graph, before)),
        };
        Some(Disposition::NotTaken(Arc::new(Skipped { cause: node.id.clone(), reason })))
    }

    /// What becomes of a node of the structure that nothing stops.
    pub(super) fn pass(&self, shared: &Shared, index: NodeIndex) -> Disposition {
        let graph = &shared.graph;
        let node = graph.node(index);
        if node.meta.as_ref().is_some_and(|meta| meta.when.is_some()) {
            return Disposition::Work;
        }
        // What is owed to all instances is no longer, when all of them are done.
        let settles = || shared.mode() == RunMode::Apply && shared.is_refreshed(index);
        if node.deferred().is_some() && (!graph.is_expanded(index) || settles()) {
            return Disposition::Work;
        }
        self.open_before(shared, index).map_or(Disposition::Pass, Disposition::Undecided)
    }

    /// Keeps what a gate decided, by the report of the work on its `when`.
    pub(super) fn decided(&mut self, shared: &Shared, index: NodeIndex, report: &ResourceReport) {
        match (report.outcome, &report.skipped) {
            (Outcome::NotTaken, Some(skipped)) => self.closed(shared, index, Arc::new(skipped.clone())),
            (Outcome::MayChange, Some(skipped)) => self.undecided(shared, index, Arc::new(skipped.clone())),
            (Outcome::Unchanged, _) => self.passed(shared, index),
            _ => {}
        }
    }

    /// A node of the structure is done with, and nothing kept it from it.
    pub(super) fn passed(&mut self, shared: &Shared, index: NodeIndex) {
        if shared.graph.node(index).role != Role::Case {
            return;
        }
        match self.open_before(shared, index) {
            // Its predicate holds, and so may that of a case before it.
            Some(skipped) => self.undecided(shared, index, skipped),
            None => shared.flags.add(index, SWITCH_TAKEN),
        }
    }

    /// A node is not handled.
    pub(super) fn closed(&mut self, shared: &Shared, index: NodeIndex, skipped: Arc<Skipped>) {
        shared.flags.add(index, NOT_TAKEN);
        let graph = &shared.graph;
        let role = graph.node(index).role;
        if let Some(before) = graph.case_before(index) {
            shared.flags.add(index, shared.flags.get(before) & (SWITCH_TAKEN | SWITCH_OPEN));
            // Handed on from case to case, so that the next one need not look far back.
            if let Some(open) = self.undecided.get(&before).cloned() {
                self.undecided.insert(index, open);
            }
        }
        if role.is_gate() {
            self.not_taken.insert(index, skipped);
        }
    }

    /// Whether a node is handled is not known.
    pub(super) fn undecided(&mut self, shared: &Shared, index: NodeIndex, skipped: Arc<Skipped>) {
        let role = shared.graph.node(index).role;
        if role == Role::Case {
            shared.flags.add(index, SWITCH_OPEN);
        }
        if role.is_gate() {
            self.undecided.insert(index, skipped);
        }
    }

    /// The case before a case of which it is not known whether it is taken.
    fn open_before(&self, shared: &Shared, index: NodeIndex) -> Option<Arc<Skipped>> {
        let before =
            shared.graph.case_before(index).filter(|before| shared.flags.has(*before, SWITCH_OPEN))?;
        self.undecided.get(&before).cloned()
    }
}

/// An end was touched when something in it was. What is no end has no parts.
pub(super) fn touch_end(shared: &Shared, index: NodeIndex) {
    let touched = shared.graph.parts(index).fold(0, |flags, part| flags | shared.flags.get(part));
    if touched & TOUCHED != 0 {
        shared.flags.add(index, touched & (TOUCHED | CERTAIN));
    }
}

fn case_name(graph: &Graph, case: NodeIndex) -> String {
    let name = graph.node(case).id.name();
    format!("`{}`", name.strip_prefix("case.").unwrap_or(name))
}
