//! Metrics of nodes, modules, rollouts and assignments by state.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::count::{Clock, Label};
use super::text::{Family, Kind, Text};

const NODES: Family = Family {
    name: "converge_fleet_nodes",
    kind: Kind::Gauge,
    help: "The number of nodes by the time since the last report of their agent.",
};
const MODULES: Family =
    Family { name: "converge_fleet_modules", kind: Kind::Gauge, help: "The number of modules by mode." };
const ROLLOUTS: Family = Family {
    name: "converge_fleet_rollouts",
    kind: Kind::Gauge,
    help: "The number of rollouts by phase; ended ones are kept for a while.",
};
const ASSIGNMENTS: Family = Family {
    name: "converge_fleet_assignments",
    kind: Kind::Gauge,
    help: "How many assignments there are, one for each module and node.",
};
const CONDITIONS: Family = Family {
    name: "converge_fleet_assignment_conditions",
    kind: Kind::Gauge,
    help: "How many assignments have a condition; one assignment can have several.",
};
const BEHIND: Family = Family {
    name: "converge_fleet_behind_seconds",
    kind: Kind::Gauge,
    help: "The age of these numbers in seconds while the store reports no changes; 0 if they are current.",
};

/// The freshness of a node's heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    /// Recent.
    Fresh,
    /// Too old.
    Stale,
    /// No heartbeat ever.
    Never,
}

impl Label for NodeState {
    const ALL: &'static [Self] = &[Self::Fresh, Self::Stale, Self::Never];

    fn word(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Never => "never",
        }
    }
}

/// The mode of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleState {
    /// Drift is corrected.
    Enforce,
    /// Drift is reported.
    Report,
    /// Agents do nothing.
    Suspended,
}

impl Label for ModuleState {
    const ALL: &'static [Self] = &[Self::Enforce, Self::Report, Self::Suspended];

    fn word(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Report => "report",
            Self::Suspended => "suspended",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RolloutPhase {
    /// Nodes are getting the revision.
    Running,
    /// All nodes have the revision.
    Complete,
    /// Too many nodes failed.
    Failed,
    /// Another rollout has replaced it.
    Superseded,
}

impl Label for RolloutPhase {
    const ALL: &'static [Self] = &[Self::Running, Self::Complete, Self::Failed, Self::Superseded];

    fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Superseded => "superseded",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignmentCondition {
    /// The node is as the module declares.
    Applied,
    /// There is a plan.
    Planned,
    /// The node has changed since the revision was applied.
    Drifted,
    /// There were errors.
    Failed,
    /// Agents do nothing.
    Suspended,
    /// The agent has not reported on the current generation yet.
    Waiting,
}

impl Label for AssignmentCondition {
    const ALL: &'static [Self] =
        &[Self::Applied, Self::Planned, Self::Drifted, Self::Failed, Self::Suspended, Self::Waiting];

    fn word(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Planned => "planned",
            Self::Drifted => "drifted",
            Self::Failed => "failed",
            Self::Suspended => "suspended",
            Self::Waiting => "waiting",
        }
    }
}

/// The set of conditions of an assignment, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AssignmentState(u8);

impl AssignmentState {
    /// Adds a condition if `is_so` is true.
    pub(crate) fn with(self, condition: AssignmentCondition, is_so: bool) -> Self {
        Self(self.0 | u8::from(is_so) << condition as u8)
    }
}

/// A state that is counted by labels, of which several may apply at once.
pub(crate) trait State: Copy {
    type Word: Label;

    /// Whether a label applies.
    fn has_label(self, word: Self::Word) -> bool;
}

impl<L: Label> State for L {
    type Word = Self;

    fn has_label(self, word: Self) -> bool {
        self == word
    }
}

impl State for AssignmentState {
    type Word = AssignmentCondition;

    fn has_label(self, word: AssignmentCondition) -> bool {
        self.0 & 1 << word as u8 != 0
    }
}

/// The number of items in total and per label.
#[derive(Debug)]
pub(crate) struct Tally<S: State>(Mutex<Counted<S>>);

#[derive(Debug)]
struct Counted<S> {
    all: u64,
    /// The number of items per label.
    words: Vec<u64>,
    /// The time since which the counts are outdated.
    behind: Option<Clock>,
    _of: std::marker::PhantomData<S>,
}

impl<S: State> Default for Tally<S> {
    fn default() -> Self {
        let words = vec![0; S::Word::ALL.len()];
        // The counts are outdated until they are set for the first time.
        let behind = Some(Clock::start());
        Self(Mutex::new(Counted { all: 0, words, behind, _of: std::marker::PhantomData }))
    }
}

impl<S: State> Counted<S> {
    fn change(&mut self, state: S, change: impl Fn(u64) -> u64) {
        self.all = change(self.all);
        for (count, word) in self.words.iter_mut().zip(S::Word::ALL) {
            if state.has_label(*word) {
                *count = change(*count);
            }
        }
    }
}

impl<S: State> Tally<S> {
    /// Replaces the state of one item; `None` stands for a missing item.
    pub(crate) fn change(&self, before: Option<S>, after: Option<S>) {
        let mut counted = self.lock();
        if let Some(before) = before {
            counted.change(before, |count| count.saturating_sub(1));
        }
        if let Some(after) = after {
            counted.change(after, |count| count + 1);
        }
    }

    /// Replaces all counts, which are current from now on.
    pub(crate) fn replace(&self, states: impl Iterator<Item = S>) {
        let mut counted = self.lock();
        counted.all = 0;
        counted.words.fill(0);
        for state in states {
            counted.change(state, |count| count + 1);
        }
        counted.behind = None;
    }

    /// Marks the counts as outdated, because changes no longer arrive.
    pub(crate) fn mark_outdated(&self) {
        self.lock().behind.get_or_insert_with(Clock::start);
    }

    fn lock(&self) -> MutexGuard<'_, Counted<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, family: &'static Family, label: &'static str, text: &mut Text) {
        let mut samples = text.family(family);
        for (count, word) in self.lock().words.iter().zip(S::Word::ALL) {
            samples.value(&[(label, word.word())], count);
        }
    }

    fn behind(&self) -> Duration {
        self.lock().behind.map(Clock::elapsed).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
pub(crate) struct FleetCounts {
    pub(crate) nodes: Tally<NodeState>,
    pub(crate) modules: Tally<ModuleState>,
    pub(crate) rollouts: Tally<RolloutPhase>,
    pub(crate) assignments: Tally<AssignmentState>,
}

impl FleetCounts {
    pub(super) fn write(&self, text: &mut Text) {
        self.nodes.write(&NODES, "state", text);
        self.modules.write(&MODULES, "state", text);
        self.rollouts.write(&ROLLOUTS, "phase", text);
        let total = self.assignments.lock().all;
        text.family(&ASSIGNMENTS).value(&[], total);
        self.assignments.write(&CONDITIONS, "condition", text);
        let behind =
            [self.nodes.behind(), self.modules.behind(), self.rollouts.behind(), self.assignments.behind()];
        let behind = behind.into_iter().max().unwrap_or_default();
        text.family(&BEHIND).value(&[], behind.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(tally: &Tally<AssignmentState>) -> (u64, Vec<u64>, bool) {
        let counted = tally.lock();
        (counted.all, counted.words.clone(), counted.behind.is_some())
    }

    #[test]
    fn what_is_so_of_several_is_counted_by_each() {
        use AssignmentCondition::{Applied, Drifted, Planned};
        let set_of = |conditions: &[AssignmentCondition]| {
            conditions
                .iter()
                .fold(AssignmentState::default(), |state, condition| state.with(*condition, true))
        };
        let tally = Tally::default();
        assert_eq!(told(&tally), (0, vec![0; 6], true));
        tally.replace([set_of(&[Applied, Planned]), set_of(&[Drifted, Planned]), set_of(&[])].into_iter());
        assert_eq!(told(&tally), (3, vec![1, 2, 1, 0, 0, 0], false));
        tally.change(Some(set_of(&[Drifted, Planned])), Some(set_of(&[Applied])));
        tally.change(None, Some(set_of(&[Planned])));
        tally.change(Some(set_of(&[])), None);
        assert_eq!(told(&tally), (3, vec![2, 2, 0, 0, 0, 0], false));
        tally.mark_outdated();
        tally.replace([].into_iter());
        assert_eq!(told(&tally), (0, vec![0; 6], false));
        assert_eq!(set_of(&[Applied]).with(Drifted, false), set_of(&[Applied]));
    }
}
