//! Tests of the queue against a model: a list of all requests.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    AddAfter(u8, u64, bool),
    Take,
    End(usize, End),
    Wait(u64),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Done,
    Forced(u64),
    Requeue(u64),
    Failed,
    Dropped,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let end = prop_oneof![
        Just(End::Done),
        (1..50_u64).prop_map(End::Forced),
        (0..50_u64).prop_map(End::Requeue),
        Just(End::Failed),
        Just(End::Dropped),
    ];
    let step = prop_oneof![
        3 => (0..5_u8).prop_map(Step::Add),
        2 => (0..5_u8, 1..50_u64, any::<bool>()).prop_map(|(key, delay, forced)| Step::AddAfter(key, delay, forced)),
        4 => Just(Step::Take),
        4 => (any::<prop::sample::Index>(), end).prop_map(|(index, end)| Step::End(index.index(64), end)),
        2 => (1..40_u64).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 1..120)
}

/// A simple and inefficient model of a queue.
#[derive(Default)]
struct Model {
    now: u64,
    ready: Vec<u8>,
    again: BTreeSet<u8>,
    in_flight: Vec<u8>,
    /// The time, the order of arrival, and whether a success or anything cancels the entry.
    later: BTreeMap<u8, (u64, usize, Kind)>,
    failures: BTreeMap<u8, u32>,
    arrivals: usize,
    cooldown: u64,
    /// The end of the rest, and the order of arrival.
    rest: BTreeMap<u8, (u64, usize)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Asked,
    Retry,
    Forced,
}

impl Model {
    fn add(&mut self, key: u8) {
        if self.in_flight.contains(&key) || self.rest.contains_key(&key) {
            self.again.insert(key);
        } else if !self.ready.contains(&key) {
            self.ready.push(key);
        }
    }

    fn add_after(&mut self, key: u8, delay: u64, kind: Kind) {
        let due = self.now + delay;
        let replaces = self.later.get(&key).is_none_or(|&(kept_at, _, kept)| match (kept, kind) {
            (Kind::Forced, Kind::Asked | Kind::Retry) => true,
            (Kind::Asked | Kind::Retry, Kind::Forced) => false,
            _ => due < kept_at,
        });
        if replaces {
            self.later.insert(key, (due, self.arrivals, kind));
        }
        self.arrivals += 1;
    }

    fn promote(&mut self) {
        let delays = self.later.iter().map(|(key, later)| (later.0, later.1, *key, false));
        let rests = self.rest.iter().map(|(key, rest)| (rest.0, rest.1, *key, true));
        let mut due: Vec<_> = delays.chain(rests).filter(|(at, ..)| *at <= self.now).collect();
        due.sort_unstable();
        for (.., key, rested) in due {
            if rested {
                self.rest.remove(&key);
                if self.again.remove(&key) {
                    self.add(key);
                }
            } else {
                self.later.remove(&key);
                self.add(key);
            }
        }
    }

    fn take(&mut self) -> Option<u8> {
        self.promote();
        if self.ready.is_empty() {
            return None;
        }
        let key = self.ready.remove(0);
        self.in_flight.push(key);
        Some(key)
    }

    fn end(&mut self, key: u8, end: End) {
        self.in_flight.retain(|&candidate| candidate != key);
        let mut repeat = self.again.remove(&key);
        if self.cooldown > 0 && !matches!(end, End::Dropped) {
            self.rest.insert(key, (self.now + self.cooldown, self.arrivals));
            self.arrivals += 1;
        }
        if !matches!(end, End::Failed | End::Dropped) {
            self.failures.remove(&key);
            if self.later.get(&key).is_some_and(|later| later.2 != Kind::Asked) {
                self.later.remove(&key);
            }
        }
        match end {
            End::Done => {}
            End::Forced(delay) => self.add_after(key, delay, Kind::Forced),
            End::Requeue(0) | End::Dropped => repeat = true,
            End::Requeue(delay) => self.add_after(key, delay, Kind::Asked),
            End::Failed => {
                let failures = self.failures.entry(key).or_default();
                *failures += 1;
                let delay = (5 * 2_u64.pow((*failures - 1).min(20))).min(1_000_000);
                self.add_after(key, delay, Kind::Retry);
            }
        }
        if repeat {
            self.add(key);
        }
    }
}

fn check(steps: Vec<Step>, cooldown: u64) -> Result<(), TestCaseError> {
    let start = Instant::now();
    let mut clock = start;
    let mut schedule = Schedule::new(Backoff::default(), ms(cooldown));
    let mut model = Model { cooldown, ..Model::default() };
    for step in steps {
        match step {
            Step::Add(key) => {
                model.add(key);
                schedule.add(key, Reason::Changed);
            }
            Step::AddAfter(key, delay, forced) => {
                let (kind, reason) =
                    if forced { (Kind::Forced, Reason::Forced) } else { (Kind::Asked, Reason::Requeued) };
                model.add_after(key, delay, kind);
                schedule.add_at(key, clock + ms(delay), reason);
            }
            Step::Take => {
                let actual = schedule.take(clock).map(|item| item.key);
                prop_assert_eq!(actual, model.take());
            }
            Step::End(index, end) if !model.in_flight.is_empty() => {
                let key = model.in_flight[index % model.in_flight.len()];
                let verdict = match end {
                    End::Done => done(),
                    End::Forced(delay) => Verdict::Done { force_after: Some(ms(delay)) },
                    End::Requeue(delay) => Verdict::Requeue(ms(delay)),
                    End::Failed => Verdict::Failed("no".into()),
                    End::Dropped => Verdict::Interrupted,
                };
                model.end(key, end);
                schedule.done(&key, verdict, clock);
            }
            Step::End(..) => {}
            Step::Wait(time) => {
                model.now += time;
                clock = start + ms(model.now);
            }
        }
        let status = schedule.status(clock);
        prop_assert_eq!(status.depth, model.ready.len());
        let resting = model.rest.keys().filter(|key| model.again.contains(key));
        let later: BTreeSet<_> = model.later.keys().chain(resting).collect();
        prop_assert_eq!(status.delayed, later.len());
        prop_assert_eq!(status.in_flight, model.in_flight.len());
        let failing: BTreeMap<u8, u32> = status.failing.iter().map(|f| (f.key, f.failures)).collect();
        prop_assert_eq!(&failing, &model.failures);
        let rests = model.rest.values().map(|rest| rest.0);
        let due = model.later.values().map(|later| later.0).chain(rests).min().map(|due| start + ms(due));
        prop_assert_eq!(schedule.next_due(), due);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_schedule_does_what_the_model_does(steps in steps(), cooldown in prop_oneof![Just(0), 1..30_u64]) {
        check(steps, cooldown)?;
    }
}
