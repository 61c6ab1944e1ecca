//! How a node stands to a version.

use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::{ConditionState, Ref, Status, Typed};

use super::super::nodes;
use crate::fleet::types::{Assignment, Mode, Module, Node, Opening, Revision, Strategy};

/// How a node stands to a version that is rolled out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stand {
    /// It does not have the version, and can get it.
    Before,
    /// It does not have the version and cannot get it now: it is suspended, or nobody hears its agent. Until a time it is waited for.
    Away { until: Option<Timestamp> },
    /// It has the version, and has until then to be well, or to have been well for long enough.
    UnderWay { until: Timestamp },
    /// It has the version, and may not be changed before that: it is outside of the windows of its module.
    Waits { until: Option<Timestamp> },
    /// It has the version, and is well.
    Well,
    /// It has the version, and was not well in time.
    Failed,
}

/// What is asked of nodes.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub module: &'a Module,
    pub strategy: &'a Strategy,
    pub to: &'a Ref<Revision>,
    pub now: Timestamp,
}

impl Asked<'_> {
    /// How a node stands, which has this assignment of the module or none.
    pub(super) fn of(&self, node: &Typed<Node>, assignment: Option<&Typed<Assignment>>) -> Stand {
        let has = assignment.filter(|assignment| assignment.revision.as_ref() == Some(self.to));
        let suspended = node.suspended || self.module.suspended;
        match has {
            _ if suspended => Stand::Away { until: None },
            Some(assignment) => self.with_version(assignment),
            None => self.without_version(node),
        }
    }

    fn without_version(&self, node: &Typed<Node>) -> Stand {
        let heard = node.resource.status.iter().find(|(key, _)| key.as_str() == nodes::NAME);
        let is_ready = |status: &Status| {
            status.condition(nodes::READY).is_some_and(|ready| ready.state == ConditionState::True)
        };
        match heard {
            Some((_, status)) if is_ready(status) => Stand::Before,
            // It was noted when it fell silent, not when it was heard of last: who was away meanwhile may be the server.
            Some((_, status)) => {
                let until =
                    status.updated_at.map_or(self.now, |since| after(since, self.strategy.time_limit));
                Stand::Away { until: Some(until).filter(|until| *until > self.now) }
            }
            // Nobody has looked at it yet.
            None => Stand::Away { until: Some(after(self.now, self.strategy.time_limit)) },
        }
    }

    fn with_version(&self, assignment: &Typed<Assignment>) -> Stand {
        let report = assignment.resource.status.iter().find(|(key, _)| key.as_str() == Assignment::REPORT);
        let report = report
            .map(|(_, status)| status)
            .filter(|status| Some(status.observed_generation) == assignment.resource.generation);
        if let Some(status) = report.filter(|status| self.is_well(status)) {
            // A report comes anew when it says something else.
            let enough = status.updated_at.map_or(self.now, |since| after(since, self.strategy.well_for));
            return if enough <= self.now { Stand::Well } else { Stand::UnderWay { until: enough } };
        }
        let given = assignment.since.unwrap_or(self.now);
        let since = match Opening::of(&assignment.windows, self.now) {
            // Where nothing is changed, there is nothing to wait for.
            _ if assignment.mode != Mode::Enforce => given,
            Opening::Closed { until } => return Stand::Waits { until },
            Opening::Open { since } => given.max(since),
            Opening::Always => given,
        };
        let until = after(since, self.strategy.time_limit);
        if until <= self.now { Stand::Failed } else { Stand::UnderWay { until } }
    }

    fn is_well(&self, status: &Status) -> bool {
        let is = |condition, state| status.condition(condition).is_some_and(|found| found.state == state);
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
