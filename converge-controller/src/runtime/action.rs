//! What a reconciler wants next.

use std::time::Duration;

/// What a reconciler that succeeded wants next.
///
/// It is no answer to a mistake: an error is, and is tried again after a backoff. Each of these forgets the errors before
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "it does nothing unless the reconciler returns it"]
pub struct Action(Option<Duration>);

impl Action {
    /// Nothing, until something changes.
    pub const fn await_change() -> Self {
        Self(None)
    }

    /// Another turn after this time, though nothing changes.
    pub const fn requeue(after: Duration) -> Self {
        Self(Some(after))
    }

    /// Another turn as soon as those that wait have had theirs.
    pub const fn requeue_now() -> Self {
        Self(Some(Duration::ZERO))
    }

    /// After what time it wants another turn though nothing changes.
    pub const fn requeue_after(self) -> Option<Duration> {
        self.0
    }
}
