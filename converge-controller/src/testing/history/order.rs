//! The check of the order of reads.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::event::{Look, Mark, Moment, Promise, State, Target, Violation, WatchedEvent};
use super::log::Log;
use super::recorder::{History, means};
use crate::storage::Key;

/// The states of a resource in order. Before the first write and after each deletion there is none.
pub(super) struct States(Vec<Option<Mark>>);

impl States {
    /// Returns the states of each resource.
    pub(super) fn from_log<'a>(history: &'a History, log: &'a Log) -> BTreeMap<&'a Key, Self> {
        let mut states: BTreeMap<_, _> =
            history.keys().into_iter().map(|key| (key, Self(vec![None]))).collect();
        for entry in &log.entries {
            states.entry(&entry.key).or_insert_with(|| Self(vec![None])).0.push(entry.mark);
        }
        states
    }

    /// Returns the index of the first occurrence of a state, from `least` on.
    fn position(&self, minimum: usize, state: Option<Mark>) -> Option<usize> {
        (minimum..self.0.len()).find(|index| self.0[*index] == state)
    }
}

/// An operation on one resource, with its begin and end.
struct Step {
    began: Moment,
    /// The time after which no operation may see a state older than this one.
    ended: Moment,
    what: StepKind,
}

enum StepKind {
    /// The operation wrote the state with this index.
    Made(usize),
    /// The operation read this state.
    ///
    /// The state may not be older than those of operations that ended before it began.
    Found(Option<Mark>),
    /// A watch reported the state with this index, which may be of any age.
    Told(usize),
}

/// Checks that all operations saw permitted states.
///
/// The operations are visited in the order of their begins, with the oldest state that is still permitted. If
/// a missing resource is found at several indexes, the first is taken, as it restricts the other operations
/// least.
fn check(key: &Key, states: &States, mut steps: Vec<Step>, promise: Promise) -> Result<(), Violation> {
    steps.sort_by_key(|step| step.began);
    let mut open: BinaryHeap<Reverse<(Moment, usize)>> = BinaryHeap::new();
    let mut oldest = 0;
    for step in steps {
        while let Some(Reverse((ended, index))) = open.peek().copied() {
            if ended >= step.began {
                break;
            }
            oldest = oldest.max(index);
            open.pop();
        }
        let index = match step.what {
            StepKind::Told(at) => at,
            StepKind::Made(at) if at > oldest => at,
            StepKind::Made(at) => {
                let detail = format!("state {at} of {key} was found before it was written");
                return Err(Violation::new(promise, detail));
            }
            StepKind::Found(state) => states.position(oldest, state).ok_or_else(|| {
                let newer = states.0[oldest];
                let detail =
                    format!("{state:?} of {key} was read after {newer:?}, which came later, was known");
                Violation::new(promise, detail)
            })?,
        };
        open.push(Reverse((step.ended, index)));
    }
    Ok(())
}

/// Returns the result of a read for a key, if the read covered the key.
fn found(observation: &Look, key: &Key) -> Option<Step> {
    let is_match = match &observation.at {
        Target::One(one) => one == key,
        Target::All(query) => means(query, key),
    };
    let state = observation.found.iter().find(|state| state.key == *key).map(|state| state.mark);
    is_match.then_some(Step {
        began: observation.began,
        ended: observation.ended,
        what: StepKind::Found(state),
    })
}

/// Checks all reads.
pub(super) fn reads(history: &History, log: &Log) -> Result<(), Violation> {
    let states = States::from_log(history, log);
    let doors = history.looks.iter().map(|observation| observation.door).max().map_or(0, |last| last + 1);
    for (key, states) in &states {
        let mut steps = writes(history, log, key, true);
        let strong = history.looks.iter().filter(|observation| observation.strong);
        steps.extend(strong.filter_map(|observation| found(observation, key)));
        check(key, states, steps, Promise::StrongReadsAreNew)?;
        for door in 0..doors {
            check(key, states, at_door(history, log, states, key, door), Promise::EventualReadsDoNotGoBack)?;
        }
    }
    Ok(())
}

/// Returns the writes of a key. If `binding`, strong reads after the end of a write must see it.
fn writes(history: &History, log: &Log, key: &Key, binding: bool) -> Vec<Step> {
    let entries = log.entries.iter().filter(|entry| entry.key == *key);
    let step = |(number, entry): (usize, &super::log::Entry)| {
        let commit = &history.commits[entry.commit];
        let ended = if binding { commit.ended } else { Moment::MAX };
        Step { began: commit.began, ended, what: StepKind::Made(number + 1) }
    };
    entries.enumerate().map(step).collect()
}

/// Returns the reads and events of one connection.
fn at_door(history: &History, log: &Log, states: &States, key: &Key, door: usize) -> Vec<Step> {
    let mut steps = writes(history, log, key, false);
    let observations = history.looks.iter().filter(|observation| observation.door == door);
    steps.extend(observations.filter_map(|observation| found(observation, key)));
    for watched in history.watches.iter().filter(|watched| watched.door == door) {
        for (event, moment) in &watched.told {
            let index = match event {
                WatchedEvent::Upsert(state) if state.key == *key => states.position(0, Some(state.mark)),
                // The state after the deleted one.
                WatchedEvent::Delete(state) if state.key == *key => {
                    states.position(0, Some(state.mark)).map(|index| index + 1)
                }
                _ => None,
            };
            let Some(index) = index else { continue };
            steps.push(Step { began: *moment, ended: *moment, what: StepKind::Told(index) });
        }
    }
    steps
}

/// Returns all states that the store returned or reported.
pub(super) fn seen(history: &History) -> impl Iterator<Item = &State> {
    let events = history.watches.iter().chain(&history.witness).flat_map(|watched| &watched.told);
    let event = events.filter_map(|(told, _)| match told {
        WatchedEvent::Upsert(state) | WatchedEvent::Delete(state) => Some(state),
        WatchedEvent::EndOfSnapshot => None,
    });
    let stored = history.commits.iter().flat_map(|commit| &commit.stored);
    stored.chain(history.looks.iter().flat_map(|observation| &observation.found)).chain(event)
}
