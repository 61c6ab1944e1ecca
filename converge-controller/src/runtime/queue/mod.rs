//! What has to be looked at, each thing once.
//!
//! A [`Queue`] is first in, first out, without doubles. A key that is asked for while it has its turn has one more turn
//! afterwards, and never two at once. A key that failed waits; see [`Backoff`]. A queue can let a key rest after each turn, so that
//! much that comes at once has few turns; see [`Queue::with_cooldown`].
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

/// A queue of keys. Clones are handles of the same queue.
pub struct Queue<K>(Arc<Shared<K>>);

struct Shared<K> {
    state: Mutex<State<K>>,
    /// There may be something for a taker.
    wake: Notify,
}

struct State<K> {
    schedule: Schedule<K>,
    closed: bool,
}

impl<K: Clone + Eq + Hash> Shared<K> {
    /// Changes the schedule, and wakes those who wait for that.
    fn change(&self, change: impl FnOnce(&mut Schedule<K>)) {
        let sooner = {
            let schedule = &mut self.lock().schedule;
            let before = schedule.next_due();
            change(schedule);
            schedule.next_due().is_some_and(|due| before.is_none_or(|before| due < before))
        };
        // All who wait know the next time, as any of them may be dropped before it comes.
        if sooner {
            self.wake.notify_waiters();
        }
        self.wake.notify_one();
    }
}

impl<K> Shared<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // Nothing under the lock can panic half way but the key's own functions, and these see it before it is in.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Clone for Queue<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Clone + Eq + Hash> Queue<K> {
    /// An empty queue.
    pub fn new(backoff: Backoff) -> Self {
        Self::with_cooldown(backoff, Duration::ZERO)
    }

    /// An empty queue, in which a key has no other turn for this time after it had one, whatever comes meanwhile: all of it has one turn
    /// then. The first turn comes at once.
    pub fn with_cooldown(backoff: Backoff, cooldown: Duration) -> Self {
        let state = State { schedule: Schedule::new(backoff, cooldown), closed: false };
        Self(Arc::new(Shared { state: Mutex::new(state), wake: Notify::new() }))
    }

    /// Asks for a key now. One that waits for its turn already is not asked for twice.
    pub fn add(&self, key: K, reason: Reason) {
        self.0.change(|schedule| schedule.add(key, reason));
    }

    /// Asks for a key after some time. A key has one such time: the earlier one, except that any other reason takes the
    /// place of [`Reason::Forced`].
    pub fn add_after(&self, key: K, delay: Duration, reason: Reason) {
        let now = Instant::now();
        if delay.is_zero() {
            return self.add(key, reason);
        }
        // Too far away to be told as a time is never.
        if let Some(at) = now.checked_add(delay) {
            self.0.change(|schedule| schedule.add_at(key, at, reason));
        }
    }

    /// Waits for the next key and takes it. None once the queue is closed.
    ///
    /// It may be dropped while it waits: no key is lost.
    pub async fn next(&self) -> Option<Turn<K>> {
        loop {
            let wake = self.0.wake.notified();
            let due = {
                let mut state = self.0.lock();
                if state.closed {
                    return None;
                }
                if let Some(taken) = state.schedule.take(Instant::now()) {
                    return Some(Turn { taken, queue: Some(self.clone()) });
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

    /// Gives out no more keys. Turns that were taken end as usual.
    pub fn close(&self) {
        self.0.lock().closed = true;
        self.0.wake.notify_waiters();
    }

    /// What can be seen of it now.
    pub fn status(&self) -> QueueStatus<K> {
        self.0.lock().schedule.status(Instant::now())
    }
}

/// A key that has its turn. No other turn of the same key begins before this one ends.
///
/// A turn that is dropped ends as [`Verdict::Interrupted`].
#[must_use = "a turn that is dropped is taken again"]
pub struct Turn<K: Clone + Eq + Hash> {
    taken: Taken<K>,
    /// Where it ends, until it has.
    queue: Option<Queue<K>>,
}

impl<K: Clone + Eq + Hash> Turn<K> {
    /// Whose turn it is.
    pub fn key(&self) -> &K {
        &self.taken.key
    }

    /// Why it has a turn.
    pub fn reason(&self) -> &Reason {
        &self.taken.reason
    }

    /// How many turns of it failed in a row before this one.
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
