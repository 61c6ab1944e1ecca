//! Which key is next, and when: the queue without its waiting.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::super::backoff::Backoff;
use super::reason::Reason;
use super::status::{Failing, QueueStatus};
use super::verdict::Verdict;

/// The keys that wait, are ready, are in flight, or rest. Time is handed in.
///
/// Delayed and resting keys are in a tree rather than in a heap, because a tree can drop any of its entries: each key has one, and
/// there is nothing stale to skip.
pub(super) struct Schedule<K> {
    places: HashMap<K, Place>,
    ready: VecDeque<K>,
    /// What ends at a time: the delay of a key, or its rest.
    later: BTreeMap<Due, K>,
    backoff: Backoff,
    cooldown: Duration,
    tickets: u64,
}

/// When something ends. The ticket keeps those of one moment apart, in the order they came.
type Due = (Instant, u64);

/// What is known about a key. A key about which nothing is known has no place.
#[derive(Default)]
struct Place {
    /// Asked for: it is in `ready`, or will be as soon as it is neither in flight nor at rest.
    asked: Option<Reason>,
    in_flight: bool,
    /// It had a turn, and has no other before then.
    rests: Option<Due>,
    delayed: Option<(Due, Reason)>,
    /// In a row.
    failures: u32,
    error: Option<String>,
}

impl Place {
    fn is_empty(&self) -> bool {
        !self.in_flight
            && self.asked.is_none()
            && self.rests.is_none()
            && self.delayed.is_none()
            && self.failures == 0
    }

    /// Whether it can have its turn, once somebody has asked for it.
    fn is_free(&self) -> bool {
        !self.in_flight && self.rests.is_none()
    }
}

/// A key that was taken from the schedule.
pub(super) struct Taken<K> {
    pub(super) key: K,
    pub(super) reason: Reason,
    pub(super) failures: u32,
}

impl<K: Clone + Eq + Hash> Schedule<K> {
    /// A key rests for the time of `cooldown` after each turn.
    pub(super) fn new(backoff: Backoff, cooldown: Duration) -> Self {
        Self {
            places: HashMap::new(),
            ready: VecDeque::new(),
            later: BTreeMap::new(),
            backoff,
            cooldown,
            tickets: 0,
        }
    }

    /// Asks for a key now. One that is asked for already keeps its place and its reason.
    pub(super) fn add(&mut self, key: K, reason: Reason) {
        let place = self.places.entry(key.clone()).or_default();
        if place.asked.is_none() {
            place.asked = Some(reason);
            if place.is_free() {
                self.ready.push_back(key);
            }
        }
    }

    /// Asks for a key at a later time. The earlier time wins, but a forced turn gives way to anything.
    pub(super) fn add_at(&mut self, key: K, at: Instant, reason: Reason) {
        let place = self.places.entry(key.clone()).or_default();
        if let Some((due, kept)) = &place.delayed {
            let gives_way = *kept == Reason::Forced && reason != Reason::Forced;
            let insists = *kept != Reason::Forced && reason == Reason::Forced;
            if !gives_way && (insists || due.0 <= at) {
                return;
            }
            self.later.remove(due);
        }
        let due = (at, self.tickets);
        self.tickets += 1;
        place.delayed = Some((due, reason));
        self.later.insert(due, key);
    }

    /// The key that is next. It is in flight until [`done`](Self::done).
    pub(super) fn take(&mut self, now: Instant) -> Option<Taken<K>> {
        self.promote(now);
        loop {
            let key = self.ready.pop_front()?;
            let Some(place) = self.places.get_mut(&key) else { continue };
            let Some(reason) = place.asked.take() else { continue };
            place.in_flight = true;
            return Some(Taken { reason, failures: place.failures, key });
        }
    }

    /// When the next key is ready, or has rested.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.later.first_key_value().map(|((at, _), _)| *at)
    }

    /// Ends the turn of a key.
    pub(super) fn done(&mut self, key: &K, verdict: Verdict, now: Instant) {
        let Some(place) = self.places.get_mut(key) else { return };
        place.in_flight = false;
        // One that was interrupted did not have its turn.
        if !matches!(verdict, Verdict::Interrupted) {
            self.rest(key, now);
        }
        let Some(place) = self.places.get_mut(key) else { return };
        match verdict {
            Verdict::Done { force_after } => {
                self.forget(key);
                if let Some(delay) = force_after {
                    self.add_after(key, delay, Reason::Forced, now);
                }
            }
            Verdict::Requeue(delay) => {
                self.forget(key);
                self.add_after(key, delay, Reason::Requeued, now);
            }
            Verdict::Failed(error) => {
                place.failures = place.failures.saturating_add(1);
                place.error = Some(error);
                let delay = self.backoff.delay(place.failures);
                let reason = Reason::Retry { failures: place.failures };
                self.add_after(key, delay, reason, now);
            }
            Verdict::Interrupted => self.ask(key, Reason::Interrupted),
        }
        match self.places.get(key) {
            Some(place) if place.asked.is_some() && place.is_free() => self.ready.push_back(key.clone()),
            Some(place) if place.is_empty() => drop(self.places.remove(key)),
            _ => {}
        }
    }

    /// What can be seen of the schedule.
    pub(super) fn status(&self, now: Instant) -> QueueStatus<K> {
        let is_later =
            |place: &Place| place.delayed.is_some() || (place.rests.is_some() && place.asked.is_some());
        let failing = |(key, place): (&K, &Place)| {
            (place.failures > 0).then(|| Failing {
                key: key.clone(),
                failures: place.failures,
                error: place.error.clone().unwrap_or_default(),
                retry_in: place.delayed.as_ref().map(|((at, _), _)| at.saturating_duration_since(now)),
            })
        };
        QueueStatus {
            depth: self.ready.len(),
            delayed: self.places.values().filter(|place| is_later(place)).count(),
            in_flight: self.places.values().filter(|place| place.in_flight).count(),
            failing: self.places.iter().filter_map(failing).collect(),
        }
    }

    /// How many keys something is known about.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.places.len()
    }

    /// Moves the delayed keys whose time has come, and those that have rested.
    fn promote(&mut self, now: Instant) {
        while let Some(entry) = self.later.first_entry().filter(|entry| entry.key().0 <= now) {
            let (due, key) = entry.remove_entry();
            let Some(place) = self.places.get_mut(&key) else { continue };
            if place.rests == Some(due) {
                place.rests = None;
                if place.asked.is_some() {
                    self.ready.push_back(key);
                } else if place.is_empty() {
                    self.places.remove(&key);
                }
            } else if let Some((_, reason)) = place.delayed.take() {
                self.add(key, reason);
            }
        }
    }

    /// Lets a key rest after its turn.
    fn rest(&mut self, key: &K, now: Instant) {
        let Some(until) = now.checked_add(self.cooldown).filter(|until| *until > now) else { return };
        let due = (until, self.tickets);
        self.tickets += 1;
        if let Some(place) = self.places.get_mut(key) {
            place.rests = Some(due);
            self.later.insert(due, key.clone());
        }
    }

    fn add_after(&mut self, key: &K, delay: Duration, reason: Reason, now: Instant) {
        if delay.is_zero() {
            self.ask(key, reason);
        } else if let Some(at) = now.checked_add(delay) {
            self.add_at(key.clone(), at, reason);
        }
        // Otherwise it is too far away to be told as a time, which is never.
    }

    /// Asks for a key that is about to leave its turn: [`done`](Self::done) puts it into `ready`.
    fn ask(&mut self, key: &K, reason: Reason) {
        if let Some(place) = self.places.get_mut(key) {
            place.asked.get_or_insert(reason);
        }
    }

    /// Forgets the failures of a key, and the turns that have no purpose after a success. What it asked for itself stays.
    fn forget(&mut self, key: &K) {
        let Some(place) = self.places.get_mut(key) else { return };
        place.failures = 0;
        place.error = None;
        if let Some((due, Reason::Retry { .. } | Reason::Forced)) = place.delayed {
            place.delayed = None;
            self.later.remove(&due);
        }
    }
}
