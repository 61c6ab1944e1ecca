//! The time limit of an attempt.

use std::time::Duration;

use tokio::time::Instant;

use crate::events::report::{Failure, Stage};

/// A running time limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    timeout: Duration,
    deadline: Instant,
}

/// A paused time limit, for a node that waits for the scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paused {
    timeout: Duration,
    left: Duration,
}

impl Limit {
    /// Starts the time limit now, or returns `None` if its end is beyond the range of the clock.
    pub(super) fn new(timeout: Duration) -> Option<Self> {
        Paused { timeout, left: timeout }.resume()
    }

    pub(super) fn deadline(self) -> Instant {
        self.deadline
    }

    pub(super) fn pause(self) -> Paused {
        Paused { timeout: self.timeout, left: self.deadline.saturating_duration_since(Instant::now()) }
    }

    /// Returns the failure for exceeding the limit.
    pub(super) fn failure(self, stage: Stage) -> Failure {
        Failure::new(stage, format!("took longer than its timeout of {:?}", self.timeout))
    }
}

impl Paused {
    pub(super) fn resume(self) -> Option<Limit> {
        let Self { timeout, left } = self;
        Instant::now().checked_add(left).map(|deadline| Limit { timeout, deadline })
    }
}
