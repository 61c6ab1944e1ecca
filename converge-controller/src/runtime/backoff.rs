//! Delays of retries.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The delay of a retry: `base`, doubled after each failure, and `max` at most.
///
/// ```
/// use std::time::Duration;
///
/// use converge_controller::runtime::Backoff;
///
/// let backoff = Backoff::default();
/// assert_eq!(backoff.delay(1), Duration::from_millis(5));
/// assert_eq!(backoff.delay(4), Duration::from_millis(40));
/// assert_eq!(backoff.delay(u32::MAX), Duration::from_secs(1000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    base: Duration,
    max: Duration,
}

impl Backoff {
    /// Creates a backoff with the delay `base` after the first failure and `max` at most.
    ///
    /// A `max` below `base` counts as `base`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self { base, max: max.max(base) }
    }

    /// Returns the delay after this number of consecutive failures; zero without failures.
    pub fn delay(&self, failures: u32) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
        let factor = 1_u32.checked_shl(doublings);
        factor.and_then(|factor| self.base.checked_mul(factor)).map_or(self.max, |delay| delay.min(self.max))
    }

    /// Returns the delay after the first failure.
    pub fn base(&self) -> Duration {
        self.base
    }

    /// Returns the maximum delay.
    pub fn max(&self) -> Duration {
        self.max
    }
}

impl Default for Backoff {
    /// Returns a backoff from 5 ms to 1000 s.
    fn default() -> Self {
        Self::new(Duration::from_millis(5), Duration::from_secs(1000))
    }
}

impl From<RangeInclusive<Duration>> for Backoff {
    fn from(range: RangeInclusive<Duration>) -> Self {
        Self::new(*range.start(), *range.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: u64, max: u64, expect: &[(u32, u64)]) {
        let backoff = Backoff::from(Duration::from_millis(base)..=Duration::from_millis(max));
        for &(failures, delay) in expect {
            assert_eq!(backoff.delay(failures), Duration::from_millis(delay), "{failures} failures");
        }
    }

    #[test]
    fn delays() {
        check(5, 1_000_000, &[(0, 0), (1, 5), (2, 10), (3, 20), (18, 655_360), (19, 1_000_000)]);
        check(5, 1_000_000, &[(32, 1_000_000), (33, 1_000_000), (u32::MAX, 1_000_000)]);
        check(7, 7, &[(1, 7), (2, 7)]);
        // The maximum is below the base, and both are zero.
        check(10, 1, &[(1, 10), (2, 10)]);
        check(0, 0, &[(1, 0), (40, 0)]);
    }
}
