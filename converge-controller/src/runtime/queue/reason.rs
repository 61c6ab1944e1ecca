//! Why a key has a turn.

use std::fmt;
use std::sync::Arc;

/// Why a key has a turn. When it was asked for more than once, the first reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The resource itself was written or deleted, or was there at the start.
    Changed,
    /// A mapper asked for it: of this watch.
    Mapped(Arc<str>),
    /// It asked for it itself, by [`Action::requeue`](crate::runtime::Action::requeue).
    Requeued,
    /// It failed.
    Retry {
        /// How many times in a row.
        failures: u32,
    },
    /// Nothing happened for long; in case that an event was missed.
    Forced,
    /// Its turn was given up before it was done.
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
