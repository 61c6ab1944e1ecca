//! Whether enough of a body comes.

use std::time::Duration;

use crate::http::{HttpError, LeastRate};

/// The time since the rate was found to be high enough, as far as it was spent waiting for the server.
pub(super) struct Window {
    least: LeastRate,
    waited: Duration,
    received: u64,
}

impl Window {
    pub(super) fn new(least: LeastRate) -> Self {
        Self { least, waited: Duration::ZERO, received: 0 }
    }

    /// How long may be waited until it ends; `None` when any rate is high enough.
    pub(super) fn left(&self) -> Option<Duration> {
        (self.least.bytes > 0).then(|| self.least.within.saturating_sub(self.waited))
    }

    /// Adds what came after waiting so long, and begins anew when it has come to its end.
    pub(super) fn add(&mut self, waited: Duration, received: u64) -> Result<(), HttpError> {
        self.waited += waited;
        self.received += received;
        if self.waited < self.least.within {
            return Ok(());
        }
        if self.received < self.least.bytes {
            return Err(HttpError::TooSlow { received: self.received, within: self.least.within });
        }
        *self = Self::new(self.least);
        Ok(())
    }
}
