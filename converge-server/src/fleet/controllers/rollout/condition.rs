//! The conditions of a rollout.

use converge_controller::{Condition, ConditionState};

use super::super::summary::abbreviate_names;
use super::decide::Stands;
use super::node_progress::NodeProgress;
use crate::fleet::types::{Phase, Rollout, Strategy};

/// The condition type that states whether every reachable node has the revision and is healthy.
pub(in super::super) const COMPLETE: &str = "complete";
/// The reason for a rollout that makes no progress because it is paused.
pub(in super::super) const PAUSED: &str = "Paused";

pub(super) fn rollout_condition(rollout: &Rollout, strategy: &Strategy, states: &Stands) -> Condition {
    let condition = |state, reason: &str| Condition::new(COMPLETE, state).reason(reason);
    match rollout.phase {
        Phase::Running if strategy.paused => {
            condition(ConditionState::Unknown, PAUSED).message(counted(states))
        }
        Phase::Running | Phase::Unspecified => {
            condition(ConditionState::Unknown, "Running").message(counted(states))
        }
        Phase::Complete => Condition::new(COMPLETE, ConditionState::True).message(counted(states)),
        Phase::Failed => ended(rollout, "Failed"),
        Phase::Superseded => ended(rollout, "Superseded"),
    }
}

/// Returns the condition of a superseded rollout.
pub(super) fn ended(rollout: &Rollout, reason: &str) -> Condition {
    Condition::new(COMPLETE, ConditionState::False).reason(reason).message(rollout.reason.as_str())
}

/// Returns the message of a failed rollout.
pub(super) fn failure_message(
    rollout: &Rollout,
    strategy: &Strategy,
    states: &Stands,
    goes_back: bool,
) -> String {
    let failed = names(states, |state| *state == NodeProgress::Failed);
    let maximum = strategy.most_failures(states.len());
    let consequence = match &rollout.from {
        Some(from) if goes_back => format!("nodes go back to {}", from.name),
        None if goes_back => "there is no earlier version to go back to".to_owned(),
        Some(_) | None => "nodes stay as they are".to_owned(),
    };
    format!("{} failed where {maximum} may: {}; {consequence}", failed.len(), abbreviate_names(&failed))
}

fn counted(states: &Stands) -> String {
    let under_way = names(states, |state| matches!(state, NodeProgress::UnderWay { .. }));
    let waits = names(states, |state| matches!(state, NodeProgress::Waits { .. }));
    let failed = names(states, |state| *state == NodeProgress::Failed);
    let before = names(states, |state| *state == NodeProgress::Before);
    let offline = names(states, |state| matches!(state, NodeProgress::Away { .. }));
    let healthy = names(states, |state| *state == NodeProgress::Well);
    let others = [
        ("under way on", under_way),
        ("waiting for a change window on", waits),
        ("failed on", failed),
        ("pending on", before),
        ("not available to", offline),
    ];
    let others = others.iter().filter(|(_, names)| !names.is_empty());
    let parts = others.map(|(what, names)| format!("{what} {}", abbreviate_names(names)));
    let total = format!("well on {} of {}", healthy.len(), states.len());
    [total].into_iter().chain(parts).collect::<Vec<_>>().join("; ")
}

fn names(states: &Stands, is_match: impl Fn(&NodeProgress) -> bool) -> Vec<&str> {
    states.iter().filter(|(_, stand)| is_match(stand)).map(|(name, _)| name.as_str()).collect()
}
