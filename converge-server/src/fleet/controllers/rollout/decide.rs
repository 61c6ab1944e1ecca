//! Which nodes get a version next, and whether it goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use converge_controller::Name;
use converge_controller::protobuf::Timestamp;

use super::node_progress::Stand;
use crate::fleet::types::{Phase, Strategy};

/// How all nodes stand to a version.
pub(super) type Stands = BTreeMap<Name, Stand>;

/// What becomes of a rollout.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decision {
    /// How far it has come now.
    pub phase: Phase,
    /// These nodes get the version now.
    pub give: BTreeSet<Name>,
    /// When time alone may change this.
    pub again: Option<Duration>,
}

/// Decides about a rollout that runs or is complete. After its completion nodes that were away, or are new, still get the version so many at
/// a time; but it does not fail any more.
pub(super) fn decide(strategy: &Strategy, phase: Phase, stands: &Stands, now: Timestamp) -> Decision {
    let count = |of: fn(&Stand) -> bool| stands.values().filter(|stand| of(stand)).count();
    let before = count(|stand| *stand == Stand::Before);
    // Who waits for a window keeps its place: all others of the module wait for the same.
    let under_way = count(|stand| matches!(stand, Stand::UnderWay { .. } | Stand::Waits { .. }));
    let well = count(|stand| *stand == Stand::Well);
    let failed = count(|stand| *stand == Stand::Failed);
    let waited_for = count(|stand| matches!(stand, Stand::Away { until: Some(_) }));

    let until = stands.values().filter_map(|stand| match stand {
        Stand::UnderWay { until }
        | Stand::Waits { until: Some(until) }
        | Stand::Away { until: Some(until) } => Some(*until),
        Stand::Before
        | Stand::Waits { until: None }
        | Stand::Away { until: None }
        | Stand::Well
        | Stand::Failed => None,
    });
    let wait = |until: Timestamp| Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO);
    let again = until.min().map(wait);

    if phase == Phase::Running && failed > strategy.most_failures(stands.len()) {
        return Decision { phase: Phase::Failed, give: BTreeSet::new(), again: None };
    }
    // What nobody has tried is not complete.
    let is_complete = before + under_way + waited_for == 0 && well > 0;
    let phase = if is_complete { Phase::Complete } else { phase };

    let canary = usize::try_from(strategy.canary).unwrap_or(usize::MAX);
    let room = if strategy.paused {
        0
    } else if phase == Phase::Running && well < canary {
        canary - well
    } else {
        strategy.most_under_way(stands.len())
    };
    let next = stands.iter().filter(|(_, stand)| **stand == Stand::Before);
    let give = next.take(room.saturating_sub(under_way)).map(|(name, _)| name.clone()).collect();
    Decision { phase, give, again }
}
