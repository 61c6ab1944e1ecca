//! Whether reads can have found what they found.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::event::{At, Look, Mark, Moment, Promise, State, Told, Violation};
use super::log::Log;
use super::recorder::{History, means};
use crate::storage::Key;

/// The states that a resource had, in their order. Before the first write, and after each deletion, it has none.
pub(super) struct States(Vec<Option<Mark>>);

impl States {
    /// The states of each resource.
    pub(super) fn of<'a>(history: &'a History, log: &'a Log) -> BTreeMap<&'a Key, Self> {
        let mut states: BTreeMap<_, _> =
            history.keys().into_iter().map(|key| (key, Self(vec![None]))).collect();
        for entry in &log.entries {
            states.entry(&entry.key).or_insert_with(|| Self(vec![None])).0.push(entry.mark);
        }
        states
    }

    /// The first of them, from `least` on, that is this one.
    fn from(&self, least: usize, state: Option<Mark>) -> Option<usize> {
        (least..self.0.len()).find(|at| self.0[*at] == state)
    }
}

/// Something that happened with one resource, in its time.
struct Step {
    began: Moment,
    /// From here on nothing may be older than what it saw or made.
    ended: Moment,
    what: What,
}

enum What {
    /// It made the state of this number.
    Made(usize),
    /// It found this state, and may not have found an older one than who ended before it began.
    Found(Option<Mark>),
    /// It was told of the state of this number, at whatever time.
    Told(usize),
}

/// Whether all found what they may have found. It goes through them as they begin, and knows what the oldest state is
/// that whoever begins now may find. Where a resource that was not there is found in several places, the first is taken,
/// which leaves the most to the others.
fn check(key: &Key, states: &States, mut steps: Vec<Step>, promise: Promise) -> Result<(), Violation> {
    steps.sort_by_key(|step| step.began);
    let mut open: BinaryHeap<Reverse<(Moment, usize)>> = BinaryHeap::new();
    let mut oldest = 0;
    for step in steps {
        while let Some(Reverse((ended, at))) = open.peek().copied() {
            if ended >= step.began {
                break;
            }
            oldest = oldest.max(at);
            open.pop();
        }
        let at = match step.what {
            What::Told(at) => at,
            What::Made(at) if at > oldest => at,
            What::Made(at) => {
                let detail = format!("state {at} of {key} was found before it was written");
                return Err(Violation::new(promise, detail));
            }
            What::Found(state) => states.from(oldest, state).ok_or_else(|| {
                let newer = states.0[oldest];
                let detail =
                    format!("{state:?} of {key} was read after {newer:?}, which came later, was known");
                Violation::new(promise, detail)
            })?,
        };
        open.push(Reverse((step.ended, at)));
    }
    Ok(())
}

/// What was read of a key, where it was asked for.
fn found(look: &Look, key: &Key) -> Option<Step> {
    let asked = match &look.at {
        At::One(one) => one == key,
        At::All(query) => means(query, key),
    };
    let state = look.found.iter().find(|state| state.key == *key).map(|state| state.mark);
    asked.then_some(Step { began: look.began, ended: look.ended, what: What::Found(state) })
}

/// Checks all reads.
pub(super) fn reads(history: &History, log: &Log) -> Result<(), Violation> {
    let states = States::of(history, log);
    let doors = history.looks.iter().map(|look| look.door).max().map_or(0, |last| last + 1);
    for (key, states) in &states {
        let mut steps = writes(history, log, key, true);
        let strong = history.looks.iter().filter(|look| look.strong);
        steps.extend(strong.filter_map(|look| found(look, key)));
        check(key, states, steps, Promise::StrongReadsAreNew)?;
        for door in 0..doors {
            check(key, states, at_door(history, log, states, key, door), Promise::EventualReadsDoNotGoBack)?;
        }
    }
    Ok(())
}

/// The writes of a key. They bind who reads strongly when they end, but others not at all.
fn writes(history: &History, log: &Log, key: &Key, binding: bool) -> Vec<Step> {
    let entries = log.entries.iter().filter(|entry| entry.key == *key);
    let step = |(number, entry): (usize, &super::log::Entry)| {
        let commit = &history.commits[entry.commit];
        let ended = if binding { commit.ended } else { Moment::MAX };
        Step { began: commit.began, ended, what: What::Made(number + 1) }
    };
    entries.enumerate().map(step).collect()
}

/// What was found and told by one way.
fn at_door(history: &History, log: &Log, states: &States, key: &Key, door: usize) -> Vec<Step> {
    let mut steps = writes(history, log, key, false);
    let here = history.looks.iter().filter(|look| look.door == door);
    steps.extend(here.filter_map(|look| found(look, key)));
    for watched in history.watches.iter().filter(|watched| watched.door == door) {
        for (told, moment) in &watched.told {
            let at = match told {
                Told::Upsert(state) if state.key == *key => states.from(0, Some(state.mark)),
                // What comes after the state that was deleted.
                Told::Delete(state) if state.key == *key => states.from(0, Some(state.mark)).map(|at| at + 1),
                _ => None,
            };
            let Some(at) = at else { continue };
            steps.push(Step { began: *moment, ended: *moment, what: What::Told(at) });
        }
    }
    steps
}

/// All states that anybody was given.
pub(super) fn seen(history: &History) -> impl Iterator<Item = &State> {
    let told = history.watches.iter().chain(&history.witness).flat_map(|watched| &watched.told);
    let told = told.filter_map(|(told, _)| match told {
        Told::Upsert(state) | Told::Delete(state) => Some(state),
        Told::EndOfSnapshot => None,
    });
    let stored = history.commits.iter().flat_map(|commit| &commit.stored);
    stored.chain(history.looks.iter().flat_map(|look| &look.found)).chain(told)
}
