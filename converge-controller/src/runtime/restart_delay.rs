//! How long to wait before something that ended begins again.

use std::time::Duration;

use crate::clock::Random;

use super::backoff::Backoff;

/// What ends sooner is flapping: it waits before it begins again.
const FLAPPING: Duration = Duration::from_secs(2);
const SHORTEST_WAIT: Duration = Duration::from_millis(500);
/// Before the jitter.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// How much of a wait may be added to it, so that not all that fail together begin again together.
const JITTER: f64 = 0.25;

/// Counts how often in a row something ended soon after it had begun.
#[derive(Debug)]
pub(super) struct Flapping {
    random: Random,
    failures: u32,
}

impl Flapping {
    pub(super) fn new(random: Random) -> Self {
        Self { random, failures: 0 }
    }

    /// How long to wait, when it ended after this time.
    pub(super) fn ended_after(&mut self, ran: Duration) -> Duration {
        self.failures = if ran < FLAPPING { self.failures.saturating_add(1) } else { 0 };
        let wait = Backoff::new(SHORTEST_WAIT, LONGEST_WAIT).delay(self.failures);
        wait + wait.mul_f64(JITTER * self.random.fraction())
    }

    pub(super) fn forget(&mut self) {
        self.failures = 0;
    }
}
