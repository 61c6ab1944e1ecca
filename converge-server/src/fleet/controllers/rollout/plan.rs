//! What becomes of a module and its nodes next.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use converge_controller::protobuf::Timestamp;
use converge_controller::runtime::RunError;
use converge_controller::{Condition, Id, Name, Ref, Typed};

use super::condition::{ended, said, why_failed};
use super::decide::{Decision, Stands, decide};
use super::history::History;
use super::node_progress::Asked;
use crate::fleet::types::{Assignment, Module, Node, OnFailure, Phase, Revision, Rollout};

/// What there is.
#[derive(Debug)]
pub(in super::super) struct Seen<'a> {
    pub module: &'a Typed<Module>,
    /// What it says now.
    pub revision: Ref<Revision>,
    /// The nodes that it means.
    pub nodes: &'a [Typed<Node>],
    pub assignments: &'a [Typed<Assignment>],
    pub rollouts: Vec<Typed<Rollout>>,
    pub now: Timestamp,
}

/// What becomes of a module and its nodes next. What is decided of rollouts is to be written first, so that it holds whatever
/// happens.
#[derive(Debug)]
pub(in super::super) struct Course {
    /// A rollout that has ended, or is complete.
    pub change: Option<Typed<Rollout>>,
    /// One that begins.
    pub begin: Option<Typed<Rollout>>,
    /// The one that the rest is about, as it was read.
    pub of: Option<Typed<Rollout>>,
    /// What is said of the rollout that was changed, or goes on.
    pub said: Option<Condition>,
    /// When time alone may change this.
    pub again: Option<Duration>,
    /// Rollouts that nobody needs.
    pub unused: Vec<Id>,
    meant: Meant,
    history: History,
}

/// Which revision nodes are meant to have.
#[derive(Debug)]
enum Meant {
    All(Ref<Revision>),
    /// The others keep what they have.
    Each(BTreeMap<Name, Ref<Revision>>),
}

impl Course {
    /// Which revision a node is meant to have; none is said of one that keeps what it has.
    pub(in super::super) fn meant_for(&self, node: &Name) -> Option<&Ref<Revision>> {
        match &self.meant {
            Meant::All(revision) => Some(revision),
            Meant::Each(meant) => meant.get(node),
        }
    }

    /// Whether a revision may still be needed by a rollout.
    pub(in super::super) fn needs(&self, revision: &Name) -> bool {
        self.history.revisions().contains(revision)
    }
}

/// Decides what becomes of a module and its nodes next.
///
/// # Errors
///
/// A rollout cannot be made, which is a mistake of this program.
pub(in super::super) fn course(seen: Seen<'_>) -> Result<Course, RunError> {
    let Seen { module, revision, nodes, assignments, rollouts, now } = seen;
    let history = History::new(rollouts);
    let unused = history.unused();
    let course = |meant, history| Course {
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
        let change = superseded(&history, "the module has no strategy any more", now);
        let said = change.as_ref().map(|change| ended(change, "Superseded"));
        return Ok(Course { change, said, ..course(Meant::All(revision), history) });
    };
    let Some(current) = history.current(&revision, strategy).cloned() else {
        let change = superseded(&history, "the module says something else since", now);
        let said = change.as_ref().map(|change| ended(change, "Superseded"));
        let begin = Rollout::of(module, history.next(revision, strategy, assignments, now))?;
        return Ok(Course {
            change,
            said,
            begin: Some(begin),
            ..course(Meant::Each(BTreeMap::new()), history)
        });
    };
    let assigned = Assigned::new(assignments);
    let asked = Asked { module, strategy, to: &revision, now };
    let live = || nodes.iter().filter(|node| !node.metadata().is_marked_for_deletion());
    let stands: Stands =
        live().map(|node| (node.id().name.clone(), asked.of(node, assigned.to(node)))).collect();
    let goes_back = strategy.on_failure != OnFailure::Stop;
    let decision = match current.phase {
        Phase::Running | Phase::Complete => decide(strategy, current.phase, &stands, now),
        phase => Decision { phase, give: BTreeSet::new(), again: None },
    };
    let mut after = current.data.clone();
    if decision.phase != current.phase {
        after.phase = decision.phase;
        after.ended = Some(now);
        if decision.phase == Phase::Failed {
            after.reason = why_failed(&current, strategy, &stands, goes_back);
        }
    }
    let said = said(&after, strategy, &stands);
    let meant = live().filter_map(|node| {
        let name = &node.id().name;
        let meant = if decision.phase == Phase::Failed && goes_back {
            current.from.as_ref()
        } else if decision.give.contains(name) {
            Some(&revision)
        } else if assigned.to(node).is_none() {
            // One that is new is not left without anything.
            current.from.as_ref().filter(|from| **from != revision)
        } else {
            None
        };
        Some((name.clone(), meant?.clone()))
    });
    let meant = Meant::Each(meant.collect());
    let change = (after != current.data).then(|| Typed { data: after, ..current.clone() });
    let again = decision.again;
    Ok(Course { change, said: Some(said), of: Some(current), again, ..course(meant, history) })
}

/// The last rollout, if it runs, as one of which nothing becomes.
fn superseded(history: &History, why: &str, now: Timestamp) -> Option<Typed<Rollout>> {
    let last = history.last().filter(|last| last.phase == Phase::Running)?;
    let data =
        Rollout { phase: Phase::Superseded, reason: why.to_owned(), ended: Some(now), ..last.data.clone() };
    Some(Typed { data, ..last.clone() })
}

/// Assignments by the names of their nodes.
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
