//! The schedule of a queue: the order and times of keys, without waiting.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::super::backoff::Backoff;
use super::reason::Reason;
use super::status::{Failing, QueueStatus};
use super::verdict::Verdict;

/// The keys that are delayed, ready, in flight or at rest. The current time is an argument.
///
/// Delayed and resting keys are in a tree rather than in a heap, because any entry of a tree can be removed.
/// Each key has one entry, and there are no stale ones to skip.
pub(super) struct Schedule<K> {
    places: HashMap<K, KeyState>,
    ready: VecDeque<K>,
    /// The delays and rests, by the time at which they end.
    later: BTreeMap<Due, K>,
    backoff: Backoff,
    cooldown: Duration,
    tickets: u64,
}

/// The end of a delay or rest. The number orders keys with the same time by their arrival.
type Due = (Instant, u64);

/// The state of a key. A key without any state has no entry.
#[derive(Default)]
struct KeyState {
    /// The reason of the requested turn.
    ///
    /// The key is in `ready`, or will be once it is neither in flight nor at rest.
    asked: Option<Reason>,
    in_flight: bool,
    /// The end of the rest after a turn.
    rests: Option<Due>,
    delayed: Option<(Due, Reason)>,
    /// The number of consecutive failures.
    failures: u32,
    error: Option<String>,
}

impl KeyState {
    fn is_empty(&self) -> bool {
        !self.in_flight
            && self.asked.is_none()
            && self.rests.is_none()
            && self.delayed.is_none()
            && self.failures == 0
    }

    /// Returns whether the key could have a turn, once requested.
    fn is_free(&self) -> bool {
        !self.in_flight && self.rests.is_none()
    }
}

/// A key taken from the schedule.
pub(super) struct Taken<K> {
    pub(super) key: K,
    pub(super) reason: Reason,
    pub(super) failures: u32,
}

impl<K: Clone + Eq + Hash> Schedule<K> {
    /// Creates a schedule in which a key rests for `cooldown` after each turn.
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

    /// Requests a key now. A key that is already requested keeps its position and reason.
    pub(super) fn add(&mut self, key: K, reason: Reason) {
        let place = self.places.entry(key.clone()).or_default();
        if place.asked.is_none() {
            place.asked = Some(reason);
            if place.is_free() {
                self.ready.push_back(key);
            }
        }
    }

    /// Requests a key at a later time. The earlier time wins, but a forced turn is replaced by any other.
    pub(super) fn add_at(&mut self, key: K, time: Instant, reason: Reason) {
        let place = self.places.entry(key.clone()).or_default();
        if let Some((due, old_reason)) = &place.delayed {
            let gives_way = *old_reason == Reason::Forced && reason != Reason::Forced;
            let insists = *old_reason != Reason::Forced && reason == Reason::Forced;
            if !gives_way && (insists || due.0 <= time) {
                return;
            }
            self.later.remove(due);
        }
        let due = (time, self.tickets);
        self.tickets += 1;
        place.delayed = Some((due, reason));
        self.later.insert(due, key);
    }

    /// Takes the next key. It is in flight until [`done`](Self::done).
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

    /// Returns the time at which the next delay or rest ends.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.later.first_key_value().map(|((at, _), _)| *at)
    }

    /// Ends the turn of a key.
    pub(super) fn done(&mut self, key: &K, verdict: Verdict, now: Instant) {
        let Some(place) = self.places.get_mut(key) else { return };
        place.in_flight = false;
        // An interrupted turn does not count, so the key does not rest.
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

    /// Returns the status of the queue.
    pub(super) fn status(&self, now: Instant) -> QueueStatus<K> {
        let is_later =
            |place: &KeyState| place.delayed.is_some() || (place.rests.is_some() && place.asked.is_some());
        let failing = |(key, place): (&K, &KeyState)| {
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

    /// Returns the number of keys with any state.
    #[cfg(test)]
    pub(super) fn known(&self) -> usize {
        self.places.len()
    }

    /// Makes delayed keys ready whose time has come, and ends rests.
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
        let Some(until) = now.checked_add(self.cooldown).filter(|end| *end > now) else { return };
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
        } else if let Some(time) = now.checked_add(delay) {
            self.add_at(key.clone(), time, reason);
        }
        // Otherwise the time is beyond the range of the clock, which means never.
    }

    /// Requests a key whose turn is about to end: [`done`](Self::done) puts it into `ready`.
    fn ask(&mut self, key: &K, reason: Reason) {
        if let Some(place) = self.places.get_mut(key) {
            place.asked.get_or_insert(reason);
        }
    }

    /// Resets the failures of a key, and cancels turns that are unnecessary after a success.
    ///
    /// A turn that the key requested itself stays.
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
