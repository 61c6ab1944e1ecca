//! The progress of a node towards a revision.

use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::{ConditionState, Ref, Status, Typed};

use super::super::nodes;
use crate::fleet::types::{Assignment, Mode, Module, Node, Opening, Revision, Strategy};

/// The progress of a node towards the revision of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeProgress {
    /// The node lacks the revision and can get it.
    Before,
    /// The node lacks the revision and cannot get it now, because it is suspended or silent.
    ///
    /// The rollout waits for it until the given time.
    Away { until: Option<Timestamp> },
    /// The node has the revision, and time until then to become healthy for long enough.
    UnderWay { until: Timestamp },
    /// The node has the revision and is outside of its module's windows until the given time.
    Waits { until: Option<Timestamp> },
    /// The node has the revision and is healthy.
    Well,
    /// The node has the revision and did not become healthy in time.
    Failed,
}

/// The parameters for the progress of nodes.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub module: &'a Module,
    pub strategy: &'a Strategy,
    pub to: &'a Ref<Revision>,
    pub now: Timestamp,
}

impl Asked<'_> {
    /// Returns the progress of a node with this assignment of the module, or without one.
    pub(super) fn progress_of(
        &self,
        node: &Typed<Node>,
        assignment: Option<&Typed<Assignment>>,
    ) -> NodeProgress {
        let current = assignment.filter(|assignment| assignment.revision.as_ref() == Some(self.to));
        let suspended = node.suspended || self.module.suspended;
        match current {
            _ if suspended => NodeProgress::Away { until: None },
            Some(assignment) => self.with_version(assignment),
            None => self.without_version(node),
        }
    }

    fn without_version(&self, node: &Typed<Node>) -> NodeProgress {
        let heartbeat = node.resource.status.iter().find(|(key, _)| key.as_str() == nodes::NAME);
        let is_ready = |status: &Status| {
            status.condition(nodes::READY).is_some_and(|ready| ready.state == ConditionState::True)
        };
        match heartbeat {
            Some((_, status)) if is_ready(status) => NodeProgress::Before,
            // The time of the silence counts, not that of the last heartbeat, because the server itself may
            // have been away.
            Some((_, status)) => {
                let end = status.updated_at.map_or(self.now, |time| after(time, self.strategy.time_limit));
                NodeProgress::Away { until: Some(end).filter(|until| *until > self.now) }
            }
            // The node controller has not looked at the node yet.
            None => NodeProgress::Away { until: Some(after(self.now, self.strategy.time_limit)) },
        }
    }

    fn with_version(&self, assignment: &Typed<Assignment>) -> NodeProgress {
        let report = assignment.resource.status.iter().find(|(key, _)| key.as_str() == Assignment::REPORT);
        let report = report
            .map(|(_, status)| status)
            .filter(|status| Some(status.observed_generation) == assignment.resource.generation);
        if let Some(status) = report.filter(|status| self.is_well(status)) {
            // The report is rewritten whenever it changes, so its time is the start of the current state.
            let end = status.updated_at.map_or(self.now, |time| after(time, self.strategy.well_for));
            return if end <= self.now { NodeProgress::Well } else { NodeProgress::UnderWay { until: end } };
        }
        let start = assignment.since.unwrap_or(self.now);
        let begin = match Opening::from_windows(&assignment.windows, self.now) {
            // A node that changes nothing does not wait for windows.
            _ if assignment.mode != Mode::Enforce => start,
            Opening::Closed { until } => return NodeProgress::Waits { until },
            Opening::Open { since } => start.max(since),
            Opening::Always => start,
        };
        let end = after(begin, self.strategy.time_limit);
        if end <= self.now { NodeProgress::Failed } else { NodeProgress::UnderWay { until: end } }
    }

    fn is_well(&self, status: &Status) -> bool {
        let is = |condition, state| status.condition(condition).is_some_and(|entry| entry.state == state);
        match self.module.mode {
            Mode::Enforce => is(Assignment::APPLIED, ConditionState::True),
            Mode::Report | Mode::Unspecified => {
                is(Assignment::PLANNED, ConditionState::True) && is(Assignment::FAILED, ConditionState::False)
            }
        }
    }
}

fn after(time: Timestamp, duration: Duration) -> Timestamp {
    time.saturating_add(duration).unwrap_or(Timestamp::MAX)
}
