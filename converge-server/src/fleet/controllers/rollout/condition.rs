//! The conditions of a rollout.

use converge_controller::{Condition, ConditionState};

use super::super::summary::some;
use super::decide::Stands;
use super::node_progress::Stand;
use crate::fleet::types::{Phase, Rollout, Strategy};

/// The condition type that states whether every reachable node has the revision and is healthy.
pub(in super::super) const COMPLETE: &str = "complete";
/// The reason for a rollout that makes no progress because it is paused.
pub(in super::super) const PAUSED: &str = "Paused";

pub(super) fn said(rollout: &Rollout, strategy: &Strategy, stands: &Stands) -> Condition {
    let of = |state, reason: &str| Condition::new(COMPLETE, state).reason(reason);
    match rollout.phase {
        Phase::Running if strategy.paused => of(ConditionState::Unknown, PAUSED).message(counted(stands)),
        Phase::Running | Phase::Unspecified => {
            of(ConditionState::Unknown, "Running").message(counted(stands))
        }
        Phase::Complete => Condition::new(COMPLETE, ConditionState::True).message(counted(stands)),
        Phase::Failed => ended(rollout, "Failed"),
        Phase::Superseded => ended(rollout, "Superseded"),
    }
}

/// Returns the condition of a superseded rollout.
pub(super) fn ended(rollout: &Rollout, reason: &str) -> Condition {
    Condition::new(COMPLETE, ConditionState::False).reason(reason).message(rollout.reason.as_str())
}

/// Returns the message of a failed rollout.
pub(super) fn why_failed(rollout: &Rollout, strategy: &Strategy, stands: &Stands, goes_back: bool) -> String {
    let failed = names(stands, |stand| *stand == Stand::Failed);
    let most = strategy.most_failures(stands.len());
    let then = match &rollout.from {
        Some(from) if goes_back => format!("nodes go back to {}", from.name),
        None if goes_back => "there is no earlier version to go back to".to_owned(),
        Some(_) | None => "nodes stay as they are".to_owned(),
    };
    format!("{} failed where {most} may: {}; {then}", failed.len(), some(&failed))
}

fn counted(stands: &Stands) -> String {
    let under_way = names(stands, |stand| matches!(stand, Stand::UnderWay { .. }));
    let waits = names(stands, |stand| matches!(stand, Stand::Waits { .. }));
    let failed = names(stands, |stand| *stand == Stand::Failed);
    let before = names(stands, |stand| *stand == Stand::Before);
    let away = names(stands, |stand| matches!(stand, Stand::Away { .. }));
    let well = names(stands, |stand| *stand == Stand::Well);
    let others = [
        ("under way on", under_way),
        ("waiting for a change window on", waits),
        ("failed on", failed),
        ("pending on", before),
        ("not available to", away),
    ];
    let others = others.iter().filter(|(_, names)| !names.is_empty());
    let parts = others.map(|(what, names)| format!("{what} {}", some(names)));
    let all = format!("well on {} of {}", well.len(), stands.len());
    [all].into_iter().chain(parts).collect::<Vec<_>>().join("; ")
}

fn names(stands: &Stands, of: impl Fn(&Stand) -> bool) -> Vec<&str> {
    stands.iter().filter(|(_, stand)| of(stand)).map(|(name, _)| name.as_str()).collect()
}
