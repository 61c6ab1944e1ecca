//! How long an attempt may take.

use std::time::Duration;

use tokio::time::Instant;

use super::report::{Failure, Stage};

/// A timeout that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    timeout: Duration,
    deadline: Instant,
}

/// A timeout that stands still, while its node waits for the scheduler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paused {
    timeout: Duration,
    left: Duration,
}

impl Limit {
    /// From now on. `None` when the end is so far away that no clock can tell it.
    pub(super) fn new(timeout: Duration) -> Option<Self> {
        Paused { timeout, left: timeout }.resume()
    }

    pub(super) fn deadline(self) -> Instant {
        self.deadline
    }

    pub(super) fn pause(self) -> Paused {
        Paused { timeout: self.timeout, left: self.deadline.saturating_duration_since(Instant::now()) }
    }

    /// That of what took longer.
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
