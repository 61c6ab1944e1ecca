//! Reasons for the turn of a key.

use std::fmt;
use std::sync::Arc;

/// The reason for the turn of a key; the first one if it was added more than once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The resource was written or deleted, or existed at the start.
    Changed,
    /// A mapper of this watch returned the resource.
    Mapped(Arc<str>),
    /// The previous reconcile requested it by [`Action::requeue`](crate::runtime::Action::requeue).
    Requeued,
    /// The previous turn failed.
    Retry {
        /// The number of consecutive failures.
        failures: u32,
    },
    /// Nothing happened for a long time, so an event may have been missed.
    Forced,
    /// The previous turn was interrupted.
    Interrupted,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("changed"),
            Self::Mapped(watch) => write!(f, "mapped from {watch}"),
            Self::Requeued => f.write_str("requeued"),
            Self::Retry { failures } => write!(f, "retry after failure {failures}"),
            Self::Forced => f.write_str("forced"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}
