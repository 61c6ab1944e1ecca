//! Which key is next, and when: the queue without its waiting.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::super::backoff::Backoff;
use super::reason::Reason;
use super::status::{Failing, QueueStatus};
use super::verdict::Verdict;

/// The keys that wait, are ready, or are in flight. Time is handed in.
///
/// Delayed keys are in a tree rather than in a heap, because a tree can drop any of its entries: each key has one, and
/// there is nothing stale to skip.
pub(super) struct Schedule<K> {
    places: HashMap<K, Place>,
    ready: VecDeque<K>,
    delayed: BTreeMap<Due, K>,
    backoff: Backoff,
    tickets: u64,
}

/// When a delayed key is ready. The ticket keeps those of one moment apart, in the order they came.
type Due = (Instant, u64);

/// What is known about a key. A key about which nothing is known has no place.
#[derive(Default)]
struct Place {
    /// Asked for: it is in `ready`, or will be as soon as it is no longer in flight.
    asked: Option<Reason>,
    in_flight: bool,
    delayed: Option<(Due, Reason)>,
    /// In a row.
    failures: u32,
    error: Option<String>,
}

impl Place {
    fn is_empty(&self) -> bool {
        self.asked.is_none() && !self.in_flight && self.delayed.is_none() && self.failures == 0
    }
}

/// A key that was taken from the schedule.
pub(super) struct Taken<K> {
    pub(super) key: K,
    pub(super) reason: Reason,
    pub(super) failures: u32,
}

impl<K: Clone + Eq + Hash> Schedule<K> {
    pub(super) fn new(backoff: Backoff) -> Self {
        Self { places: HashMap::new(), ready: VecDeque::new(), delayed: BTreeMap::new(), backoff, tickets: 0 }
    }

    /// Asks for a key now. One that is asked for already keeps its place and its reason.
    pub(super) fn add(&mut self, key: K, reason: Reason) {
        let place = self.places.entry(key.clone()).or_default();
        if place.asked.is_none() {
            place.asked = Some(reason);
            if !place.in_flight {
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
            self.delayed.remove(due);
        }
        let due = (at, self.tickets);
        self.tickets += 1;
        place.delayed = Some((due, reason));
        self.delayed.insert(due, key);
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

    /// When the next delayed key is ready.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|((at, _), _)| *at)
    }

    /// Ends the turn of a key.
    pub(super) fn done(&mut self, key: &K, verdict: Verdict, now: Instant) {
        let Some(place) = self.places.get_mut(key) else { return };
        place.in_flight = false;
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
            Some(place) if place.asked.is_some() => self.ready.push_back(key.clone()),
            Some(place) if place.is_empty() => drop(self.places.remove(key)),
            _ => {}
        }
    }

    /// What can be seen of the schedule.
    pub(super) fn status(&self, now: Instant) -> QueueStatus<K> {
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
            delayed: self.delayed.len(),
            in_flight: self.places.values().filter(|place| place.in_flight).count(),
            failing: self.places.iter().filter_map(failing).collect(),
        }
    }

    /// Moves the delayed keys whose time has come.
    fn promote(&mut self, now: Instant) {
        while let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now) {
            let key = entry.remove();
            if let Some((_, reason)) = self.places.get_mut(&key).and_then(|place| place.delayed.take()) {
                self.add(key, reason);
            }
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
            self.delayed.remove(&due);
        }
    }
}
