//! A work queue without duplicates.
//!
//! A [`Queue`] is first in, first out. A key that is added during its turn gets one more turn afterwards, and
//! never two at once. A failed key is delayed; see [`Backoff`]. With a cooldown, a key rests after each turn,
//! so that many additions result in few turns; see [`Queue::with_cooldown`].
//!
//! ```
//! use std::time::Duration;
//!
//! use converge_controller::runtime::{Backoff, Queue, Reason, Verdict};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! let queue = Queue::new(Backoff::default());
//! queue.add("korn", Reason::Changed);
//! queue.add("korn", Reason::Changed);
//!
//! let turn = queue.next().await.expect("the queue is open");
//! assert_eq!(*turn.key(), "korn");
//! turn.end(Verdict::Failed("no such band".into()));
//!
//! assert_eq!(queue.status().failing[0].retry_in, Some(Duration::from_millis(5)));
//! let again = queue.next().await.expect("the queue is open");
//! assert_eq!(*again.reason(), Reason::Retry { failures: 1 });
//! again.end(Verdict::Done { force_after: None });
//! # }
//! ```

use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

mod reason;
mod schedule;
mod status;
#[cfg(test)]
mod tests;
mod verdict;

pub use reason::Reason;
pub use status::{Failing, QueueStatus};
pub use verdict::Verdict;

use super::backoff::Backoff;
use schedule::{Schedule, Taken};

/// A queue of keys.
///
/// Clones share the same queue.
pub struct Queue<K>(Arc<Shared<K>>);

struct Shared<K> {
    state: Mutex<State<K>>,
    /// Notified when a key may be available.
    wake: Notify,
}

struct State<K> {
    schedule: Schedule<K>,
    closed: bool,
}

impl<K: Clone + Eq + Hash> Shared<K> {
    /// Changes the schedule, and wakes the tasks that wait for the change.
    fn change(&self, change: impl FnOnce(&mut Schedule<K>)) {
        let sooner = {
            let schedule = &mut self.lock().schedule;
            let before = schedule.next_due();
            change(schedule);
            schedule.next_due().is_some_and(|due| before.is_none_or(|before| due < before))
        };
        // All waiting tasks must know the next due time, as any of them may be dropped before it.
        if sooner {
            self.wake.notify_waiters();
        }
        self.wake.notify_one();
    }
}

impl<K> Shared<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // A poisoned lock is fine: only functions of the key can panic under it, and these run before the key
        // is inserted.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Clone for Queue<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Clone + Eq + Hash> Queue<K> {
    /// Creates an empty queue.
    pub fn new(backoff: Backoff) -> Self {
        Self::with_cooldown(backoff, Duration::ZERO)
    }

    /// Creates an empty queue in which a key rests for this time after each turn.
    ///
    /// All additions during the rest result in one turn. The first turn comes at once.
    pub fn with_cooldown(backoff: Backoff, cooldown: Duration) -> Self {
        let state = State { schedule: Schedule::new(backoff, cooldown), closed: false };
        Self(Arc::new(Shared { state: Mutex::new(state), wake: Notify::new() }))
    }

    /// Adds a key now, unless it already waits for its turn.
    pub fn add(&self, key: K, reason: Reason) {
        self.0.change(|schedule| schedule.add(key, reason));
    }

    /// Adds a key after a delay.
    ///
    /// A key has at most one delay. The earlier one wins, except that any other reason replaces
    /// [`Reason::Forced`].
    pub fn add_after(&self, key: K, delay: Duration, reason: Reason) {
        let now = Instant::now();
        if delay.is_zero() {
            return self.add(key, reason);
        }
        // A delay too long for the clock means never.
        if let Some(due) = now.checked_add(delay) {
            self.0.change(|schedule| schedule.add_at(key, due, reason));
        }
    }

    /// Waits for the next key and takes it.
    ///
    /// Returns `None` once the queue is closed.
    ///
    /// The future can be dropped while it waits, without losing a key.
    pub async fn next(&self) -> Option<Turn<K>> {
        loop {
            let wake = self.0.wake.notified();
            let due = {
                let mut state = self.0.lock();
                if state.closed {
                    return None;
                }
                if let Some(entry) = state.schedule.take(Instant::now()) {
                    return Some(Turn { taken: entry, queue: Some(self.clone()) });
                }
                state.schedule.next_due()
            };
            match due {
                None => wake.await,
                Some(due) => {
                    tokio::select! {
                        () = wake => {}
                        () = sleep_until(due) => {}
                    }
                }
            }
        }
    }

    /// Closes the queue: no more keys are given out.
    ///
    /// Running turns end as usual.
    pub fn close(&self) {
        self.0.lock().closed = true;
        self.0.wake.notify_waiters();
    }

    /// Returns the current status of the queue.
    pub fn status(&self) -> QueueStatus<K> {
        self.0.lock().schedule.status(Instant::now())
    }
}

/// The turn of a key.
///
/// No other turn of the same key begins before it ends.
///
/// A dropped turn ends as [`Verdict::Interrupted`].
#[must_use = "a turn that is dropped is taken again"]
pub struct Turn<K: Clone + Eq + Hash> {
    taken: Taken<K>,
    /// The queue, until the turn has ended.
    queue: Option<Queue<K>>,
}

impl<K: Clone + Eq + Hash> Turn<K> {
    /// Returns the key.
    pub fn key(&self) -> &K {
        &self.taken.key
    }

    /// Returns the reason for the turn.
    pub fn reason(&self) -> &Reason {
        &self.taken.reason
    }

    /// Returns the number of consecutive failed turns of the key before this one.
    pub fn failures(&self) -> u32 {
        self.taken.failures
    }

    /// Ends the turn.
    pub fn end(mut self, verdict: Verdict) {
        self.end_as(verdict);
    }

    fn end_as(&mut self, verdict: Verdict) {
        let Some(queue) = self.queue.take() else { return };
        queue.0.change(|schedule| schedule.done(&self.taken.key, verdict, Instant::now()));
    }
}

impl<K: Clone + Eq + Hash> Drop for Turn<K> {
    fn drop(&mut self) {
        self.end_as(Verdict::Interrupted);
    }
}
