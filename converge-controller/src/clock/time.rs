//! The time of day.

use std::time::SystemTime;

use tokio::time::Instant;

/// Tells the time of day.
///
/// Waiting is not its work: everything here waits by [`tokio::time`], which a test can pause. A clock that
/// [follows tokio](Clock::following_tokio) goes on with that time, so that in such a test the time of day is what the
/// test makes it.
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
    /// The clock of the machine.
    pub fn machine() -> Self {
        Self(Source::Machine)
    }

    /// A clock that shows `origin` now, and from here on goes as the clock of tokio does.
    pub fn following_tokio(origin: SystemTime) -> Self {
        Self(Source::Tokio { origin, started: Instant::now() })
    }

    /// The time of day.
    #[expect(clippy::disallowed_methods, reason = "everything else asks here")]
    pub fn now(&self) -> SystemTime {
        match &self.0 {
            Source::Machine => SystemTime::now(),
            Source::Tokio { origin, started } => *origin + started.elapsed(),
        }
    }
}
