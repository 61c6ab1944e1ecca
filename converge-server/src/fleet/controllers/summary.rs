//! The conditions of a module as a whole.

use converge_controller::{Condition, ConditionState, Typed};

use crate::fleet::types::{Assignment, Module};

/// The number of nodes listed by name before the rest is only counted.
const NAMED: usize = 3;

/// Returns the condition that states whether any node is assigned.
pub(super) fn scheduled(module: &Module, nodes: usize) -> Condition {
    let scheduled = Condition::new("scheduled", ConditionState::from(nodes > 0));
    match nodes {
        0 => scheduled.reason("NoNode").message(format!("no node has the labels {}", module.nodes)),
        nodes => scheduled.message(format!("nodes: {nodes}")),
    }
}

/// Returns the condition that states whether all agents report the current generation as applied.
pub(super) fn applied(assignments: &[Typed<Assignment>]) -> Condition {
    let state_of = |assignment: &Typed<Assignment>| {
        let status = assignment.resource.status.iter().find(|(key, _)| key.as_str() == Assignment::REPORT);
        let current =
            status.filter(|(_, status)| Some(status.observed_generation) == assignment.resource.generation);
        current
            .and_then(|(_, status)| status.condition(Assignment::APPLIED))
            .map_or(ConditionState::Unknown, |condition| condition.state)
    };
    let nodes_with = |state| -> Vec<&str> {
        let mut nodes: Vec<_> = assignments
            .iter()
            .filter(|assignment| state_of(assignment) == state)
            .filter_map(|assignment| assignment.node.as_ref())
            .map(|node| node.name.as_str())
            .collect();
        nodes.sort_unstable();
        nodes
    };
    let applied = nodes_with(ConditionState::True).len();
    let counted = format!("applied on {applied} of {}", assignments.len());
    let (failed, waiting) = (nodes_with(ConditionState::False), nodes_with(ConditionState::Unknown));
    let condition = |state| Condition::new(Assignment::APPLIED, state);
    if !failed.is_empty() {
        condition(ConditionState::False)
            .reason("NotApplied")
            .message(format!("{counted}, not on {}", abbreviate_names(&failed)))
    } else if !waiting.is_empty() {
        condition(ConditionState::Unknown)
            .reason("Waiting")
            .message(format!("{counted}, waiting for {}", abbreviate_names(&waiting)))
    } else if assignments.is_empty() {
        condition(ConditionState::Unknown).reason("NoNode")
    } else {
        condition(ConditionState::True).message(counted)
    }
}

/// Formats the first names and the number of the others.
pub(super) fn abbreviate_names(names: &[&str]) -> String {
    let (first, others) = names.split_at(names.len().min(NAMED));
    match others.len() {
        0 => first.join(", "),
        others => format!("{} and {others} more", first.join(", ")),
    }
}
