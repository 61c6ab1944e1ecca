//! When to try again, where somebody else was quicker.

use std::time::Duration;

use crate::clock::Random;

/// How often a write without a version is tried.
const ATTEMPTS: u32 = 5;
const LEAST: Duration = Duration::from_millis(50);
const MOST: Duration = Duration::from_secs(1);
/// What the second wait would be without a least one; each further one is twice as long.
const FACTOR: Duration = Duration::from_millis(75);
/// How much longer a wait may be, by chance, so that those who met once do not meet again.
const JITTER: f64 = 0.5;

/// When to try again: after 50 ms to 1 s, and up to half as long again, at most four times.
#[derive(Debug, Default)]
pub(super) struct Retry {
    failures: u32,
}

impl Retry {
    /// Notes a failure. How long to wait; `None` when it was tried often enough.
    pub(super) fn after_failure(&mut self, random: &mut Random) -> Option<Duration> {
        self.failures += 1;
        if self.failures >= ATTEMPTS {
            return None;
        }
        // The first wait is the least one.
        let wait = match self.failures {
            1 => LEAST,
            failures => (FACTOR * 2_u32.pow(failures - 2)).clamp(LEAST, MOST),
        };
        Some(wait.mul_f64(1.0 + JITTER * random.fraction()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        for seed in 0..100 {
            let (mut random, mut retry) = (Random::from_seed(seed), Retry::default());
            for least in [50, 75, 150, 300].map(Duration::from_millis) {
                let wait = retry.after_failure(&mut random).unwrap();
                assert!(wait >= least && wait <= least.mul_f64(1.5), "{wait:?}");
            }
            assert_eq!(retry.after_failure(&mut random), None);
        }
    }
}
