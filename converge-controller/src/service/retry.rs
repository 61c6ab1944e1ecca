//! Retries of writes after conflicts.

use std::time::Duration;

use crate::clock::Random;

/// The maximum number of attempts at a write without a version.
const ATTEMPTS: u32 = 5;
const LEAST: Duration = Duration::from_millis(50);
const MOST: Duration = Duration::from_secs(1);
/// The factor of the exponential delays.
///
/// It would be the second delay if there was no minimum, and doubles for each further one.
const FACTOR: Duration = Duration::from_millis(75);
/// The maximum fraction added to a delay, so that writers that collided do not collide again.
const JITTER: f64 = 0.5;

/// The delays of retries: 50 ms to 1 s plus up to half of that, at most four times.
#[derive(Debug, Default)]
pub(super) struct Retry {
    failures: u32,
}

impl Retry {
    /// Records a failure, and returns the delay of the next attempt, or `None` after the last one.
    pub(super) fn after_failure(&mut self, random: &mut Random) -> Option<Duration> {
        self.failures += 1;
        if self.failures >= ATTEMPTS {
            return None;
        }
        // The first delay is the minimum.
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
            for minimum in [50, 75, 150, 300].map(Duration::from_millis) {
                let wait = retry.after_failure(&mut random).unwrap();
                assert!(wait >= minimum && wait <= minimum.mul_f64(1.5), "{wait:?}");
            }
            assert_eq!(retry.after_failure(&mut random), None);
        }
    }
}
