//! The wall clock.

use std::time::SystemTime;

use tokio::time::Instant;

/// A wall clock.
///
/// Waiting is not part of it: all code here waits by [`tokio::time`], which a test can pause. A clock that
/// [follows tokio](Clock::following_tokio) advances with that time, so that such a test controls the wall
/// clock as well.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use converge_controller::clock::Clock;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// # tokio::time::pause();
/// let clock = Clock::following_tokio(UNIX_EPOCH);
/// tokio::time::advance(Duration::from_secs(60)).await;
/// assert_eq!(clock.now(), UNIX_EPOCH + Duration::from_secs(60));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    Machine,
    Tokio { origin: SystemTime, started: Instant },
}

impl Clock {
    /// Returns the clock of the machine.
    pub fn machine() -> Self {
        Self(Source::Machine)
    }

    /// Creates a clock that shows `origin` now, and advances with the clock of tokio.
    pub fn following_tokio(origin: SystemTime) -> Self {
        Self(Source::Tokio { origin, started: Instant::now() })
    }

    /// Returns the current time.
    #[expect(clippy::disallowed_methods, reason = "everything else asks here")]
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            Source::Machine => SystemTime::now(),
            Source::Tokio { origin, started } => *origin + started.elapsed(),
        }
    }
}
