//! The history of a module's rollouts.

use std::collections::{BTreeMap, BTreeSet};

use converge_controller::protobuf::Timestamp;
use converge_controller::{Id, Name, Ref, Typed};

use crate::fleet::types::{Assignment, Phase, Revision, Rollout, Strategy};

/// The number of rollouts kept per module.
const KEPT: usize = 10;

/// The rollouts of a module in order of their numbers.
#[derive(Debug)]
pub(super) struct History(Vec<Typed<Rollout>>);

impl History {
    pub(super) fn new(mut rollouts: Vec<Typed<Rollout>>) -> Self {
        rollouts.retain(|rollout| !rollout.metadata().is_marked_for_deletion());
        rollouts.sort_by_key(|rollout| rollout.number);
        Self(rollouts)
    }

    pub(super) fn last(&self) -> Option<&Typed<Rollout>> {
        self.0.last()
    }

    /// Returns the last rollout if it is for this revision and attempt and was not superseded.
    pub(super) fn current(&self, to: &Ref<Revision>, strategy: &Strategy) -> Option<&Typed<Rollout>> {
        self.last().filter(|last| {
            last.to.as_ref() == Some(to)
                && last.attempt == strategy.attempt
                && last.phase != Phase::Superseded
        })
    }

    /// Returns the rollout that follows the last one.
    pub(super) fn next(
        &self,
        to: Ref<Revision>,
        strategy: &Strategy,
        assignments: &[Typed<Assignment>],
        now: Timestamp,
    ) -> Rollout {
        Rollout {
            number: self.last().map_or(1, |last| last.number + 1),
            from: self.last_good().or_else(|| most_common(assignments, &to)),
            to: Some(to),
            attempt: strategy.attempt,
            phase: Phase::Running,
            began: Some(now),
            ..Rollout::default()
        }
    }

    /// Returns the revision of the last complete rollout.
    fn last_good(&self) -> Option<Ref<Revision>> {
        self.last_complete().and_then(|rollout| rollout.to.clone())
    }

    fn last_complete(&self) -> Option<&Typed<Rollout>> {
        self.0.iter().rev().find(|rollout| rollout.phase == Phase::Complete)
    }

    /// Returns the rollouts to delete: all except the latest ones and the last complete one.
    pub(super) fn unused(&self) -> Vec<Id> {
        let last_good = self.last_complete().map(|rollout| rollout.number);
        let old = self.0.iter().rev().skip(KEPT);
        old.filter(|rollout| Some(rollout.number) != last_good).map(|rollout| rollout.id().clone()).collect()
    }

    pub(super) fn revisions(&self) -> BTreeSet<&Name> {
        let revisions = self.0.iter().flat_map(|rollout| [&rollout.to, &rollout.from]);
        revisions.flatten().map(|revision| &revision.name).collect()
    }
}

/// Returns the revision that most nodes have, without the given one.
fn most_common(assignments: &[Typed<Assignment>], other_than: &Ref<Revision>) -> Option<Ref<Revision>> {
    let mut nodes: BTreeMap<&Ref<Revision>, usize> = BTreeMap::new();
    let revisions = assignments.iter().filter_map(|assignment| assignment.revision.as_ref());
    for revision in revisions.filter(|revision| *revision != other_than) {
        *nodes.entry(revision).or_default() += 1;
    }
    nodes.into_iter().max_by_key(|(_, count)| *count).map(|(revision, _)| revision.clone())
}
