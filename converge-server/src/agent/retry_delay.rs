//! The delay before a request to a server is retried.

use std::time::Duration;

use converge_core::engine::CancellationToken;

/// The first and the maximum delay.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// A delay that doubles with each retry.
#[derive(Debug)]
pub(super) struct Pause(Duration);

impl Pause {
    pub(super) fn new() -> Self {
        Self(AGAIN[0])
    }

    /// Waits for the delay; returns false if the agent stops.
    pub(super) async fn wait(&mut self, stop: &CancellationToken) -> bool {
        let time = self.0;
        self.0 = (self.0 * 2).min(AGAIN[1]);
        tokio::time::timeout(time, stop.cancelled()).await.is_err()
    }
}
