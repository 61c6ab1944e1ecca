//! The next step of a rollout, computed for a module and its nodes.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::RunError;
use converge_controller::{Condition, Id, Name, Ref, Typed};

use super::condition::{ended, failure_message, rollout_condition};
use super::decide::{Decision, Stands, decide};
use super::history::History;
use super::node_progress::Asked;
use crate::fleet::types::{Assignment, Module, Node, OnFailure, Phase, Revision, Rollout};

/// The stored state of a module and its fleet.
#[derive(Debug)]
pub(in super::super) struct Seen<'a> {
    pub module: &'a Typed<Module>,
    /// The current revision of the module.
    pub revision: Ref<Revision>,
    /// The nodes that the module selects.
    pub nodes: &'a [Typed<Node>],
    pub assignments: &'a [Typed<Assignment>],
    pub rollouts: Vec<Typed<Rollout>>,
    pub now: Timestamp,
}

/// The next step for a module and its nodes.
///
/// Changes to rollouts must be written first, so that the decision holds even if the server stops in between.
#[derive(Debug)]
pub(in super::super) struct RolloutPlan {
    /// The changed rollout, which has ended or become complete.
    pub change: Option<Typed<Rollout>>,
    /// The rollout to start.
    pub begin: Option<Typed<Rollout>>,
    /// The current rollout as it was read.
    pub of: Option<Typed<Rollout>>,
    /// The condition to set on the changed or current rollout.
    pub said: Option<Condition>,
    /// The time after which the plan may change without another event.
    pub again: Option<Duration>,
    /// The rollouts to delete.
    pub unused: Vec<Id>,
    meant: Meant,
    history: History,
}

/// The target revision of each node.
#[derive(Debug)]
enum Meant {
    All(Ref<Revision>),
    /// Nodes without an entry keep their revision.
    Each(BTreeMap<Name, Ref<Revision>>),
}

impl RolloutPlan {
    /// Returns the target revision of a node, or `None` if it keeps its revision.
    pub(in super::super) fn target_of(&self, node: &Name) -> Option<&Ref<Revision>> {
        match &self.meant {
            Meant::All(revision) => Some(revision),
            Meant::Each(meant) => meant.get(node),
        }
    }

    /// Whether a rollout may still need a revision.
    pub(in super::super) fn needs(&self, revision: &Name) -> bool {
        self.history.revisions().contains(revision)
    }
}

/// Computes the next step for a module and its nodes.
///
/// # Errors
///
/// A rollout cannot be created, which is a bug of this program.
pub(in super::super) fn plan_rollout(observation: Seen<'_>) -> Result<RolloutPlan, RunError> {
    let Seen { module, revision, nodes, assignments, rollouts, now } = observation;
    let history = History::new(rollouts);
    let unused = history.unused();
    let course = |meant, history| RolloutPlan {
        change: None,
        begin: None,
        of: None,
        said: None,
        again: None,
        unused,
        meant,
        history,
    };
    let Some(strategy) = &module.rollout else {
        let change = superseded(&history, "the module no longer has a strategy", now);
        let condition = change.as_ref().map(|change| ended(change, "Superseded"));
        return Ok(RolloutPlan { change, said: condition, ..course(Meant::All(revision), history) });
    };
    let Some(current) = history.current(&revision, strategy).cloned() else {
        let change = superseded(&history, "the module has changed since", now);
        let condition = change.as_ref().map(|change| ended(change, "Superseded"));
        let begin = Rollout::for_module(module, history.next(revision, strategy, assignments, now))?;
        return Ok(RolloutPlan {
            change,
            said: condition,
            begin: Some(begin),
            ..course(Meant::Each(BTreeMap::new()), history)
        });
    };
    let assigned = Assigned::new(assignments);
    let query = Asked { module, strategy, to: &revision, now };
    let live = || nodes.iter().filter(|node| !node.metadata().is_marked_for_deletion());
    let states: Stands =
        live().map(|node| (node.id().name.clone(), query.progress_of(node, assigned.to(node)))).collect();
    let goes_back = strategy.on_failure != OnFailure::Stop;
    let decision = match current.phase {
        Phase::Running | Phase::Complete => decide(strategy, current.phase, &states, now),
        phase => Decision { phase, give: BTreeSet::new(), again: None },
    };
    let mut after = current.data.clone();
    if decision.phase != current.phase {
        after.phase = decision.phase;
        after.ended = Some(now);
        if decision.phase == Phase::Failed {
            after.reason = failure_message(&current, strategy, &states, goes_back);
        }
    }
    let condition = rollout_condition(&after, strategy, &states);
    let targets = live().filter_map(|node| {
        let name = &node.id().name;
        let target = if decision.phase == Phase::Failed && goes_back {
            current.from.as_ref()
        } else if decision.give.contains(name) {
            Some(&revision)
        } else if assigned.to(node).is_none() {
            // A new node gets the previous revision, so that it is not left without one.
            current.from.as_ref().filter(|from| **from != revision)
        } else {
            None
        };
        Some((name.clone(), target?.clone()))
    });
    let targets = Meant::Each(targets.collect());
    let change = (after != current.data).then(|| Typed { data: after, ..current.clone() });
    let retry_after = decision.again;
    Ok(RolloutPlan {
        change,
        said: Some(condition),
        of: Some(current),
        again: retry_after,
        ..course(targets, history)
    })
}

/// Returns the last rollout marked as superseded, if it is still running.
fn superseded(history: &History, reason: &str, now: Timestamp) -> Option<Typed<Rollout>> {
    let last = history.last().filter(|last| last.phase == Phase::Running)?;
    let data = Rollout {
        phase: Phase::Superseded,
        reason: reason.to_owned(),
        ended: Some(now),
        ..last.data.clone()
    };
    Some(Typed { data, ..last.clone() })
}

/// The assignments by node name.
struct Assigned<'a>(BTreeMap<&'a Name, &'a Typed<Assignment>>);

impl<'a> Assigned<'a> {
    fn new(assignments: &'a [Typed<Assignment>]) -> Self {
        let of_node = |assignment: &'a Typed<Assignment>| Some((&assignment.node.as_ref()?.name, assignment));
        Self(assignments.iter().filter_map(of_node).collect())
    }

    fn to(&self, node: &Typed<Node>) -> Option<&'a Typed<Assignment>> {
        self.0.get(&node.id().name).copied()
    }
}
