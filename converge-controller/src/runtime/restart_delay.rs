//! Delays before restarting something that keeps ending early.

use std::time::Duration;

use crate::clock::Random;

use super::backoff::Backoff;

/// The run time below which an end counts as flapping.
const FLAPPING: Duration = Duration::from_secs(2);
const SHORTEST_WAIT: Duration = Duration::from_millis(500);
/// The maximum delay before the jitter.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The maximum fraction added to a delay, so that not everything restarts at the same time.
const JITTER: f64 = 0.25;

/// A counter of consecutive early ends.
#[derive(Debug)]
pub(super) struct Flapping {
    random: Random,
    failures: u32,
}

impl Flapping {
    pub(super) fn new(random: Random) -> Self {
        Self { random, failures: 0 }
    }

    /// Returns the delay before the restart after this run time.
    pub(super) fn ended_after(&mut self, uptime: Duration) -> Duration {
        self.failures = if uptime < FLAPPING { self.failures.saturating_add(1) } else { 0 };
        let wait = Backoff::new(SHORTEST_WAIT, LONGEST_WAIT).delay(self.failures);
        wait + wait.mul_f64(JITTER * self.random.fraction())
    }

    pub(super) fn forget(&mut self) {
        self.failures = 0;
    }
}
