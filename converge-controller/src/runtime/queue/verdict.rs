//! Results of turns.

use std::time::Duration;

/// The result of the turn of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The turn succeeded: its failures are reset.
    Done {
        /// The time after which a turn is forced without a request; `None` for never.
        force_after: Option<Duration>,
    },
    /// The turn succeeded, and the next turn follows after this time.
    ///
    /// Zero means behind the keys that are ready.
    Requeue(Duration),
    /// The turn failed for this reason, and is retried after the backoff.
    Failed(String),
    /// The turn was interrupted. It is repeated, and counts neither as success nor as failure.
    Interrupted,
}
