//! The result of a successful reconcile.

use std::time::Duration;

/// The result of a successful reconcile: when the next one is due.
///
/// For a failure, return an error: it is retried after a backoff. Every action resets the count of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it does nothing unless the reconciler returns it"]
pub struct Action(Option<Duration>);

impl Action {
    /// Reconciles again only when something changes.
    pub const fn await_change() -> Self {
        Self(None)
    }

    /// Reconciles again after this time, even if nothing changes.
    pub const fn requeue(after: Duration) -> Self {
        Self(Some(after))
    }

    /// Reconciles again as soon as the other queued keys have been reconciled.
    pub const fn requeue_now() -> Self {
        Self(Some(Duration::ZERO))
    }

    /// Returns the time after which another reconcile is due without a change.
    pub const fn requeue_after(self) -> Option<Duration> {
        self.0
    }
}
