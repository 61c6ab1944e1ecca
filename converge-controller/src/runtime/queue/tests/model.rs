//! The queue next to a list of everything that was asked for.

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

/// What a queue is, said without a care for cost.
#[derive(Default)]
struct Model {
    now: u64,
    ready: Vec<u8>,
    again: BTreeSet<u8>,
    in_flight: Vec<u8>,
    /// Time, order of arrival, and whether it may be taken back by a success, or by anything.
    later: BTreeMap<u8, (u64, usize, Kind)>,
    failures: BTreeMap<u8, u32>,
    arrivals: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Asked,
    Retry,
    Forced,
}

impl Model {
    fn add(&mut self, key: u8) {
        if self.in_flight.contains(&key) {
            self.again.insert(key);
        } else if !self.ready.contains(&key) {
            self.ready.push(key);
        }
    }

    fn add_after(&mut self, key: u8, delay: u64, kind: Kind) {
        let at = self.now + delay;
        let replaces = self.later.get(&key).is_none_or(|&(kept_at, _, kept)| match (kept, kind) {
            (Kind::Forced, Kind::Asked | Kind::Retry) => true,
            (Kind::Asked | Kind::Retry, Kind::Forced) => false,
            _ => at < kept_at,
        });
        if replaces {
            self.later.insert(key, (at, self.arrivals, kind));
        }
        self.arrivals += 1;
    }

    fn promote(&mut self) {
        let mut come: Vec<_> =
            self.later.iter().filter(|(_, later)| later.0 <= self.now).map(|(k, l)| (l.0, l.1, *k)).collect();
        come.sort_unstable();
        for (_, _, key) in come {
            self.later.remove(&key);
            self.add(key);
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
        self.in_flight.retain(|&other| other != key);
        let mut again = self.again.remove(&key);
        if !matches!(end, End::Failed | End::Dropped) {
            self.failures.remove(&key);
            if self.later.get(&key).is_some_and(|later| later.2 != Kind::Asked) {
                self.later.remove(&key);
            }
        }
        match end {
            End::Done => {}
            End::Forced(delay) => self.add_after(key, delay, Kind::Forced),
            End::Requeue(0) | End::Dropped => again = true,
            End::Requeue(delay) => self.add_after(key, delay, Kind::Asked),
            End::Failed => {
                let failures = self.failures.entry(key).or_default();
                *failures += 1;
                let delay = (5 * 2_u64.pow((*failures - 1).min(20))).min(1_000_000);
                self.add_after(key, delay, Kind::Retry);
            }
        }
        if again {
            self.add(key);
        }
    }
}

fn check(steps: Vec<Step>) -> Result<(), TestCaseError> {
    let start = Instant::now();
    let mut now = start;
    let mut schedule = Schedule::new(Backoff::default());
    let mut model = Model::default();
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
                schedule.add_at(key, now + ms(delay), reason);
            }
            Step::Take => {
                let got = schedule.take(now).map(|taken| taken.key);
                prop_assert_eq!(got, model.take());
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
                schedule.done(&key, verdict, now);
            }
            Step::End(..) => {}
            Step::Wait(time) => {
                model.now += time;
                now = start + ms(model.now);
            }
        }
        let status = schedule.status(now);
        prop_assert_eq!(status.depth, model.ready.len());
        prop_assert_eq!(status.delayed, model.later.len());
        prop_assert_eq!(status.in_flight, model.in_flight.len());
        let failing: BTreeMap<u8, u32> = status.failing.iter().map(|f| (f.key, f.failures)).collect();
        prop_assert_eq!(&failing, &model.failures);
        let due = model.later.values().map(|later| start + ms(later.0)).min();
        prop_assert_eq!(schedule.next_due(), due);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_schedule_does_what_the_model_does(steps in steps()) {
        check(steps)?;
    }
}
