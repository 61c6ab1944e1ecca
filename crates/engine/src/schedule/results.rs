//! The results of nodes: their effect on other nodes, and the events that report them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::gates::{Disposition, GateDecisions, Halted, touch_end};
use super::lock_waits::{Awaited, Waits};
use super::second_look::{EndedResources, Undone};
use crate::events::emitter::{Emitted, Emitter};
use crate::events::event::{EventKind, InterruptKind};
use crate::events::failed_attempt::FailedAttempt;
use crate::events::outcome::Outcome;
use crate::events::report::{ResourceReport, Skipped, Stage};
use crate::events::summary::Summary;
use crate::graph::{EdgeReason, Node, NodeId, NodeIndex};
use crate::inputs::planned_exports::unknown_exports;
use crate::inputs::root_outputs::outputs;
use crate::sdk::context::RunMode;
use crate::sdk::progress::ProgressUpdate;
use crate::sdk::status::StatusLevel;
use crate::tables::managed_so_far::footprint;
use crate::tables::node_flags::{CERTAIN, CHANGES, TOUCHED, WAITS_FOR_CHANGES};
use crate::tables::pending_changes::PendingEffect;
use crate::tables::run_tables::Shared;
use crate::tables::selection::LEFT_OUT;
use crate::types::footprint::Footprint;
use crate::work::job::Completion;

pub(super) struct Results {
    shared: Arc<Shared>,
    emitter: Emitter,
    /// Nodes that failed or were skipped, with the reason for their dependents.
    halted: HashMap<NodeIndex, Halted>,
    gates: GateDecisions,
    waits: Waits,
    ended: EndedResources,
    any_changes: bool,
    summary: Summary,
}

impl Results {
    pub(super) fn new(shared: Arc<Shared>, emitter: Emitter) -> Self {
        Self {
            shared,
            emitter,
            halted: HashMap::new(),
            gates: GateDecisions::default(),
            waits: Waits::default(),
            ended: EndedResources::default(),
            any_changes: false,
            summary: Summary::default(),
        }
    }

    fn node(&self, index: NodeIndex) -> &Node {
        self.shared.graph.node(index)
    }

    pub(super) fn run_started(&mut self, mode: RunMode) {
        let resources =
            self.shared.graph.resources().filter(|(index, _)| self.shared.works_on(*index)).count();
        self.emitter.emit(EventKind::RunStarted { mode, resources });
    }

    pub(super) fn run_finished(mut self, elapsed: std::time::Duration) -> (Summary, Emitted) {
        self.summary.elapsed = elapsed;
        let shared = &self.shared;
        self.summary.is_booting = shared.is_booting.load(Ordering::Acquire);
        self.summary.left_out =
            shared.graph.resources().filter(|(index, _)| !shared.works_on(*index)).count();
        for output in outputs(shared) {
            self.emitter.emit(EventKind::Output(output));
        }
        self.emitter.emit(EventKind::RunFinished { summary: self.summary });
        (self.summary, self.emitter.finish())
    }

    /// Gives later events the current time.
    pub(super) fn tick(&mut self) {
        self.emitter.tick();
    }

    pub(super) fn flush(&mut self) {
        self.emitter.flush();
    }

    pub(super) fn interrupted(&mut self, interrupt: InterruptKind, running: &[NodeIndex]) {
        self.waits.end_all();
        let nodes = running.iter().map(|index| self.node(*index)).filter(|node| node.role.is_resource());
        let running = nodes.map(|node| node.id.clone()).collect();
        self.emitter.emit(EventKind::Interrupted { interrupt, running });
    }

    pub(super) fn started(&mut self, index: NodeIndex) {
        if let Some(id) = self.subscribed_id(index) {
            self.emitter.emit(EventKind::ResourceStarted { id });
        }
    }

    pub(super) fn attempt_failed(&mut self, index: NodeIndex, failed: FailedAttempt) {
        let id = self.node(index).id.clone();
        let FailedAttempt { attempt, attempts, wait, reason } = failed;
        self.emitter.emit(EventKind::AttemptFailed { id, attempt, attempts, wait, reason });
    }

    pub(super) fn stage(&mut self, index: NodeIndex, stage: Stage) {
        if let Some(id) = self.subscribed_id(index) {
            self.emitter.emit(EventKind::ResourceStage { id, stage });
        }
    }

    /// Reports that a node waits for a lock that another holds.
    pub(super) fn waits(&mut self, index: NodeIndex, awaited: Awaited) {
        self.waits.begin(index, awaited.clone());
        if let Some(id) = self.subscribed_id(index) {
            let Awaited { lock, name, held_by } = awaited;
            self.emitter.emit(EventKind::ResourceWaiting { id, lock, name, held_by });
        }
    }

    /// Records that a node has the locks it waited for.
    pub(super) fn end_wait(&mut self, index: NodeIndex) {
        self.waits.end(index);
    }

    /// Emits a progress update, whose place in the channel is already reserved.
    pub(super) fn progress(&mut self, index: NodeIndex, update: ProgressUpdate) {
        match self.subscribed_id(index) {
            Some(id) => self.emitter.emit_with_room(EventKind::from_progress(id, update)),
            None => self.progress_ignored(),
        }
    }

    /// Returns the reserved place of a progress update that is not emitted.
    pub(super) fn progress_ignored(&self) {
        if let Some(room) = &self.shared.setup.room {
            room.give_back();
        }
    }

    /// Returns the id of a resource if there is a subscriber.
    fn subscribed_id(&self, index: NodeIndex) -> Option<NodeId> {
        let node = self.node(index);
        (node.role.is_resource() && self.emitter.has_subscriber()).then(|| node.id.clone())
    }

    pub(super) fn disposition(&self, index: NodeIndex) -> Disposition {
        let (gates, shared) = (&self.gates, &self.shared);
        if shared.leaves_out(index) {
            let cause = self.node(index).id.clone();
            return Disposition::NotTaken(Arc::new(Skipped { cause, reason: LEFT_OUT.to_owned() }));
        }
        let stopped = gates.stop(shared, index).or_else(|| gates.stop_case(shared, index));
        match (stopped, self.cause(index)) {
            // A node that is not taken is not handled at all, so its other dependencies do not matter.
            (Some(Disposition::NotTaken(skipped)), _) => Disposition::NotTaken(skipped),
            (_, Some(halted)) => Disposition::Skip(halted),
            (Some(disposition), None) => disposition,
            (None, None) if self.node(index).role.is_structure() => gates.pass(shared, index),
            (None, None) => Disposition::Work,
        }
    }

    /// Returns the reason why a node whose dependencies have all ended must not run.
    ///
    /// Among several reasons, that of the smallest dependency is used, so that it does not depend on timing.
    /// Reasons that fail the run come before forgiven ones.
    fn cause(&self, index: NodeIndex) -> Option<Halted> {
        if self.halted.is_empty() {
            return None;
        }
        let edges = self.shared.graph.dependencies(index).iter();
        let halting = edges.filter(|edge| edge.reason != EdgeReason::EvenAfter);
        let mut causes = halting.filter_map(|edge| self.halted.get(&edge.on)).peekable();
        let first = *causes.peek()?;
        Some(causes.find(|halted| !halted.forgiven).unwrap_or(first).clone())
    }

    /// Emits the event that the instances of an end node are part of the run.
    pub(super) fn added(&mut self, end: NodeIndex, instances: &[NodeIndex]) {
        let id = self.node(end).id.clone();
        let nodes = instances.iter().filter(|index| self.shared.works_on(**index));
        let nodes = nodes.map(|index| self.node(*index));
        let resources = nodes.clone().filter(|node| node.role.is_resource()).count();
        let unknown = nodes.filter(|node| node.deferred().is_some()).count();
        self.emitter.emit(EventKind::InstancesKnown { id, resources, unknown });
    }

    /// Records that work on a node is handed to the workers.
    pub(super) fn begins(&mut self, index: NodeIndex) {
        self.mark_pending(index);
        self.ended.begins(&self.shared, index);
    }

    /// Returns the ended resources for the second look.
    pub(super) fn take_ended(&mut self) -> EndedResources {
        std::mem::take(&mut self.ended)
    }

    /// Reports a resource that a later one undid.
    pub(super) fn undone(&mut self, Undone { by, was, report }: Undone) {
        self.summary.count_undone(was, &report);
        let by = self.node(by).id.clone();
        self.emitter.emit(EventKind::ResourceUndone { by, was, report });
    }

    /// Handles the end of a node that was worked on.
    pub(super) fn finished(&mut self, index: NodeIndex, completion: Completion) {
        let Completion { report, exports, mut footprint } = completion;
        if self.shared.mode() == RunMode::Apply {
            self.ended.ends(index, &report, footprint.take());
        }
        match report.outcome {
            Outcome::Failed => {
                let message = report.failure.as_ref().map_or("", |failure| failure.message.as_str());
                // A first line that introduces a list loses its colon.
                let reason = message.lines().next().unwrap_or_default().trim_end_matches(':').to_owned();
                let skipped = Arc::new(Skipped { cause: report.id.clone(), reason });
                self.halted.insert(index, Halted { skipped, forgiven: self.node(index).is_optional() });
            }
            Outcome::MayChange if self.node(index).deferred().is_some() => self.unexpanded(index),
            Outcome::Unchanged if self.node(index).deferred().is_some() => touch_end(&self.shared, index),
            _ if self.node(index).role.is_structure() => {
                self.gates.decided(&self.shared, index, &report);
            }
            Outcome::WillChange => {
                self.changes(index, CHANGES | TOUCHED | CERTAIN, |node| changing(node, &report, footprint));
            }
            Outcome::MayChange => {
                self.changes(index, CHANGES | TOUCHED, |node| changing(node, &report, footprint));
            }
            // The dependencies are done, so the change is certain.
            Outcome::Changed => self.shared.flags.add(index, TOUCHED | CERTAIN),
            Outcome::NotTaken => {
                if let Some(skipped) = &report.skipped {
                    self.gates.closed(&self.shared, index, Arc::new(skipped.clone()));
                }
            }
            _ => {}
        }
        if let Some(exports) = exports {
            self.shared.keep_exports(index, exports);
        }
        self.report(index, report);
    }

    /// Records possible changes by instances that a plan does not know.
    ///
    /// Their footprint is known as far as their fields are.
    fn unexpanded(&mut self, index: NodeIndex) {
        self.changes(index, CHANGES | TOUCHED, PendingEffect::from_instances);
    }

    /// Handles a structure node with nothing to do.
    pub(super) fn pass(&mut self, index: NodeIndex) {
        self.mark_pending(index);
        touch_end(&self.shared, index);
        self.gates.passed(&self.shared, index);
    }

    pub(super) fn skip(&mut self, index: NodeIndex, halted: Halted) {
        let mut report = self.unworked(index, Outcome::Skipped, Some(&halted.skipped));
        report.optional = halted.forgiven;
        self.report(index, report);
        self.halted.insert(index, halted);
    }

    pub(super) fn not_taken(&mut self, index: NodeIndex, skipped: Arc<Skipped>) {
        self.mark_pending(index);
        self.not_worked_on(index, Outcome::NotTaken, Some(&skipped));
        self.gates.closed(&self.shared, index, skipped);
    }

    /// Handles a node behind a gate that a plan cannot decide.
    pub(super) fn undecided(&mut self, index: NodeIndex, skipped: Arc<Skipped>) {
        self.mark_pending(index);
        let report = ResourceReport::new(self.node(index).id.clone(), Outcome::MayChange);
        if self.node(index).deferred().is_some() {
            self.unexpanded(index);
        } else if self.node(index).role.is_structure() {
            touch_end(&self.shared, index);
        } else {
            self.changes(index, CHANGES | TOUCHED, |node| changing(node, &report, None));
            if self.shared.is_read(index) {
                self.shared.keep_exports(index, Box::new(unknown_exports(self.node(index))));
            }
        }
        self.not_worked_on(index, Outcome::MayChange, Some(&skipped));
        self.gates.undecided(&self.shared, index, skipped);
    }

    pub(super) fn not_run(&mut self, index: NodeIndex) {
        self.not_worked_on(index, Outcome::NotRun, None);
    }

    fn not_worked_on(&mut self, index: NodeIndex, outcome: Outcome, skipped: Option<&Arc<Skipped>>) {
        let report = self.unworked(index, outcome, skipped);
        self.report(index, report);
    }

    /// Creates the report of a node that is not worked on.
    fn unworked(
        &self,
        index: NodeIndex,
        outcome: Outcome,
        skipped: Option<&Arc<Skipped>>,
    ) -> Box<ResourceReport> {
        let mut report = Box::new(ResourceReport::new(self.node(index).id.clone(), outcome));
        report.skipped = skipped.map(|skipped| Skipped::clone(skipped));
        if outcome == Outcome::MayChange {
            report.level = StatusLevel::MayChange;
        }
        report
    }

    /// Emits the report of a node.
    ///
    /// Parameters and structure nodes are reported only when they fail, and excluded nodes not at all. An end
    /// node with unknown instances is reported on their behalf.
    fn report(&mut self, index: NodeIndex, mut report: Box<ResourceReport>) {
        if self.shared.leaves_out(index) {
            return;
        }
        let node = self.node(index);
        let stands_for_instances = node.deferred().is_some() && !self.shared.graph.is_expanded(index);
        report.role = node.role;
        report.optional |= node.is_optional();
        if report.outcome == Outcome::NotRun
            && report.messages.is_empty()
            && self.shared.is_booting.load(Ordering::Acquire)
        {
            report.messages.push("it waits for the reboot of the machine".to_owned());
        }
        report.waited = self.waits.take(index);
        if report.outcome == Outcome::Failed || report.role.is_resource() || stands_for_instances {
            self.summary.count_report(&report);
            self.emitter.emit(EventKind::ResourceFinished(report));
        }
    }

    fn changes(&mut self, index: NodeIndex, flags: u16, changing: impl FnOnce(&Node) -> PendingEffect) {
        self.any_changes = true;
        self.shared.flags.add(index, flags);
        // Instances added by the run may wait for the node without being among its dependents.
        if self.shared.is_asked_about(index) {
            self.shared.pending.changes(index, changing(self.shared.graph.node(index)));
        }
    }

    /// Marks a node whose dependencies have pending changes.
    pub(super) fn mark_pending(&self, index: NodeIndex) {
        let (graph, shared) = (&self.shared.graph, &self.shared);
        let waits_for_changes = || {
            let mut edges = graph.dependencies(index).iter();
            edges.any(|edge| shared.flags.has(edge.on, CHANGES | WAITS_FOR_CHANGES))
        };
        if self.any_changes && waits_for_changes() {
            shared.flags.add(index, WAITS_FOR_CHANGES);
            shared.pending.begins(graph, &shared.flags, index);
        }
    }
}

/// Returns the changes of a node, with its rendered footprint if there is one.
fn changing(node: &Node, report: &ResourceReport, rendered: Option<Box<Footprint>>) -> PendingEffect {
    let footprint = rendered.map_or_else(|| footprint(node, None), |rendered| *rendered);
    PendingEffect::from_report(node, footprint, report)
}
