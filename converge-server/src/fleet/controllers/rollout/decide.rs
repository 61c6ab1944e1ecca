//! The decision which nodes get a revision next, and whether the rollout continues.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use converge_controller::Name;
use converge_controller::protobuf::Timestamp;

use super::node_progress::NodeProgress;
use crate::fleet::types::{Phase, Strategy};

/// The progress of all nodes towards a revision.
pub(super) type Stands = BTreeMap<Name, NodeProgress>;

/// The decision about a rollout.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// The new phase.
    pub phase: Phase,
    /// The nodes that get the revision now.
    pub give: BTreeSet<Name>,
    /// The time after which the decision may change without another event.
    pub again: Option<Duration>,
}

/// Decides about a running or complete rollout.
///
/// After completion, nodes that were away or are new still get the revision, a limited number at a time. A
/// complete rollout can no longer fail.
pub(super) fn decide(strategy: &Strategy, phase: Phase, states: &Stands, now: Timestamp) -> Decision {
    let count = |is_match: fn(&NodeProgress) -> bool| states.values().filter(|state| is_match(state)).count();
    let before = count(|state| *state == NodeProgress::Before);
    // A node that waits for a window still occupies a place, because all nodes of the module wait for the
    // same window.
    let under_way =
        count(|state| matches!(state, NodeProgress::UnderWay { .. } | NodeProgress::Waits { .. }));
    let healthy = count(|state| *state == NodeProgress::Well);
    let failed = count(|state| *state == NodeProgress::Failed);
    let waited_for = count(|state| matches!(state, NodeProgress::Away { until: Some(_) }));

    let deadlines = states.values().filter_map(|state| match state {
        NodeProgress::UnderWay { until }
        | NodeProgress::Waits { until: Some(until) }
        | NodeProgress::Away { until: Some(until) } => Some(*until),
        NodeProgress::Before
        | NodeProgress::Waits { until: None }
        | NodeProgress::Away { until: None }
        | NodeProgress::Well
        | NodeProgress::Failed => None,
    });
    let wait = |until: Timestamp| Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO);
    let retry_after = deadlines.min().map(wait);

    if phase == Phase::Running && failed > strategy.most_failures(states.len()) {
        return Decision { phase: Phase::Failed, give: BTreeSet::new(), again: None };
    }
    // A rollout that no node has tried is not complete.
    let is_complete = before + under_way + waited_for == 0 && healthy > 0;
    let phase = if is_complete { Phase::Complete } else { phase };

    let canary = usize::try_from(strategy.canary).unwrap_or(usize::MAX);
    let room = if strategy.paused {
        0
    } else if phase == Phase::Running && healthy < canary {
        canary - healthy
    } else {
        strategy.most_under_way(states.len())
    };
    let next = states.iter().filter(|(_, stand)| **stand == NodeProgress::Before);
    let next_nodes = next.take(room.saturating_sub(under_way)).map(|(name, _)| name.clone()).collect();
    Decision { phase, give: next_nodes, again: retry_after }
}
