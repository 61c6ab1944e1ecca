//! The check of the minimum data rate of a body.

use std::time::Duration;

use crate::http::{HttpError, LeastRate};

/// The current measurement window, which counts only time spent waiting for the server.
pub(super) struct Window {
    least: LeastRate,
    waited: Duration,
    received: u64,
}

impl Window {
    pub(super) fn new(minimum: LeastRate) -> Self {
        Self { least: minimum, waited: Duration::ZERO, received: 0 }
    }

    /// Returns the time until the window ends; `None` if any rate is sufficient.
    pub(super) fn left(&self) -> Option<Duration> {
        (self.least.bytes > 0).then(|| self.least.within.saturating_sub(self.waited))
    }

    /// Adds the bytes received after a wait.
    ///
    /// At its end the window is checked and restarted.
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
