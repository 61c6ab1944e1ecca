//! How a turn ended.

use std::time::Duration;

/// How the turn of a key ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It succeeded: its failures are forgotten.
    Done {
        /// When it has a turn again though nothing asks for it. None: only when something does.
        force_after: Option<Duration>,
    },
    /// It succeeded, and has another turn after this time. Zero is at once, behind what waits already.
    Requeue(Duration),
    /// It failed, for this reason: it has another turn after its backoff.
    Failed(String),
    /// It was given up: it has another turn, and this one counts neither as success nor as failure.
    Interrupted,
}
