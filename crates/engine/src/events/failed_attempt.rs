//! The report of a failed attempt that will be retried.

use std::time::Duration;

/// A failed attempt that will be followed by another.
pub(crate) struct FailedAttempt {
    /// The number of the attempt.
    pub(crate) attempt: u32,
    pub(crate) attempts: u32,
    /// The delay before the next attempt.
    pub(crate) wait: Duration,
    pub(crate) reason: String,
}
