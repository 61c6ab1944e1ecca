//! The report of a failed attempt that will be retried.

use std::time::Duration;

/// A failed attempt that will be followed by another.
pub(super) struct FailedAttempt {
    /// The number of the attempt.
    pub(super) attempt: u32,
    pub(super) attempts: u32,
    /// The delay before the next attempt.
    pub(super) wait: Duration,
    pub(super) reason: String,
}
