//! What is told of an attempt that failed and was not the last.

use std::time::Duration;

/// An attempt after which there is another one.
pub(super) struct FailedAttempt {
    /// Its number.
    pub(super) attempt: u32,
    pub(super) attempts: u32,
    /// How long the node waits.
    pub(super) wait: Duration,
    pub(super) reason: String,
}
