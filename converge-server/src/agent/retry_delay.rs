//! Waits before a server is asked again.

use std::time::Duration;

use converge_core::engine::CancellationToken;

/// How long, at first and at most.
const AGAIN: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(30)];

/// Waits between two tries, longer each time.
#[derive(Debug)]
pub(super) struct Pause(Duration);

impl Pause {
    pub(super) fn new() -> Self {
        Self(AGAIN[0])
    }

    /// Waits, unless it is told to stop; gives back whether to go on.
    pub(super) async fn wait(&mut self, stop: &CancellationToken) -> bool {
        let time = self.0;
        self.0 = (self.0 * 2).min(AGAIN[1]);
        tokio::time::timeout(time, stop.cancelled()).await.is_err()
    }
}
