//! Decisions of the module structure about the resources inside it.
//!
//! If a plan does not know whether a `case` is taken, later cases of the `switch` stay undecided, unless
//! their own predicate is false.

use std::collections::HashMap;
use std::sync::Arc;

use crate::events::outcome::Outcome;
use crate::events::report::{ResourceReport, Skipped};
use crate::graph::{Graph, NodeIndex, Role};
use crate::sdk::context::RunMode;
use crate::tables::node_flags::{CERTAIN, NOT_TAKEN, SWITCH_OPEN, SWITCH_TAKEN, TOUCHED};
use crate::tables::run_tables::Shared;

/// The treatment of a node whose dependencies have all ended.
#[derive(Debug)]
pub(super) enum Disposition {
    /// The node is worked on.
    Work,
    /// The node is a structure node with nothing to do.
    Pass,
    /// A dependency of the node failed.
    Skip(Halted),
    /// The module excludes the node.
    NotTaken(Arc<Skipped>),
    /// A plan does not know whether the node is taken.
    Undecided(Arc<Skipped>),
}

/// The reason why the dependents of a node are skipped.
#[derive(Clone, Debug)]
pub(super) struct Halted {
    /// The reason that the dependents report.
    pub(super) skipped: Arc<Skipped>,
    /// Whether the run still counts as a success.
    pub(super) forgiven: bool,
}

/// The decisions made by the gates of a graph.
#[derive(Debug, Default)]
pub(super) struct GateDecisions {
    not_taken: HashMap<NodeIndex, Arc<Skipped>>,
    undecided: HashMap<NodeIndex, Arc<Skipped>>,
}

impl GateDecisions {
    /// Returns the disposition set by the gates around a node, or `None` if they all pass.
    pub(super) fn stop(&self, shared: &Shared, index: NodeIndex) -> Option<Disposition> {
        let gate = shared.graph.gate(index)?;
        if let Some(skipped) = self.not_taken.get(&gate) {
            return Some(Disposition::NotTaken(Arc::clone(skipped)));
        }
        self.undecided.get(&gate).map(|skipped| Disposition::Undecided(Arc::clone(skipped)))
    }

    /// Returns the disposition set by earlier cases, or `None` if this `case` can be taken.
    pub(super) fn stop_case(&self, shared: &Shared, index: NodeIndex) -> Option<Disposition> {
        let graph = &shared.graph;
        let node = graph.node(index);
        if node.role != Role::Case {
            return None;
        }
        let before = graph.case_before(index).filter(|before| shared.flags.has(*before, SWITCH_TAKEN))?;
        // After a case is taken, all later cases repeat the same reason.
        let reason = match self.not_taken.get(&before) {
            Some(skipped) => skipped.reason.clone(),
            None => format!("another case, {}, was taken", case_name(graph, before)),
        };
        Some(Disposition::NotTaken(Arc::new(Skipped { cause: node.id.clone(), reason })))
    }

    /// Returns the disposition of a structure node that no gate stops.
    pub(super) fn pass(&self, shared: &Shared, index: NodeIndex) -> Disposition {
        let graph = &shared.graph;
        let node = graph.node(index);
        if node.meta.as_ref().is_some_and(|meta| meta.when.is_some()) {
            return Disposition::Work;
        }
        // A refresh that is pending for all instances is settled once all of them have ended.
        let settles = || shared.mode() == RunMode::Apply && shared.is_refreshed(index);
        if node.deferred().is_some() && (!graph.is_expanded(index) || settles()) {
            return Disposition::Work;
        }
        self.open_before(shared, index).map_or(Disposition::Pass, Disposition::Undecided)
    }

    /// Records the decision of a gate from the report on its `when`.
    pub(super) fn decided(&mut self, shared: &Shared, index: NodeIndex, report: &ResourceReport) {
        match (report.outcome, &report.skipped) {
            (Outcome::NotTaken, Some(skipped)) => self.closed(shared, index, Arc::new(skipped.clone())),
            (Outcome::MayChange, Some(skipped)) => self.undecided(shared, index, Arc::new(skipped.clone())),
            (Outcome::Unchanged, _) => self.passed(shared, index),
            _ => {}
        }
    }

    /// Records that a structure node passed.
    pub(super) fn passed(&mut self, shared: &Shared, index: NodeIndex) {
        if shared.graph.node(index).role != Role::Case {
            return;
        }
        match self.open_before(shared, index) {
            // The predicate holds, but that of an earlier case may hold too.
            Some(skipped) => self.undecided(shared, index, skipped),
            None => shared.flags.add(index, SWITCH_TAKEN),
        }
    }

    /// Records that a node is not taken.
    pub(super) fn closed(&mut self, shared: &Shared, index: NodeIndex, skipped: Arc<Skipped>) {
        shared.flags.add(index, NOT_TAKEN);
        let graph = &shared.graph;
        let role = graph.node(index).role;
        if let Some(before) = graph.case_before(index) {
            shared.flags.add(index, shared.flags.get(before) & (SWITCH_TAKEN | SWITCH_OPEN));
            // The reason is passed on from case to case, so that the next one need not search far back.
            if let Some(open) = self.undecided.get(&before).cloned() {
                self.undecided.insert(index, open);
            }
        }
        if role.is_gate() {
            self.not_taken.insert(index, skipped);
        }
    }

    /// Records that a plan does not know whether a node is taken.
    pub(super) fn undecided(&mut self, shared: &Shared, index: NodeIndex, skipped: Arc<Skipped>) {
        let role = shared.graph.node(index).role;
        if role == Role::Case {
            shared.flags.add(index, SWITCH_OPEN);
        }
        if role.is_gate() {
            self.undecided.insert(index, skipped);
        }
    }

    /// Returns the reason if it is unknown whether an earlier `case` is taken.
    fn open_before(&self, shared: &Shared, index: NodeIndex) -> Option<Arc<Skipped>> {
        let before =
            shared.graph.case_before(index).filter(|before| shared.flags.has(*before, SWITCH_OPEN))?;
        self.undecided.get(&before).cloned()
    }
}

/// Marks an end node as touched if anything inside it was. Other nodes have no parts.
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
