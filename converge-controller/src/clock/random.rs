//! Random numbers.

use std::time::Duration;

/// A source of random numbers.
///
/// The same seed yields the same numbers, in the same order.
///
/// The numbers are for uids and for spreading work over time, not for secrets.
///
/// ```
/// use converge_controller::clock::Random;
///
/// let numbers = |mut random: Random| [random.bits(), random.bits()];
/// assert_eq!(numbers(Random::from_seed(7)), numbers(Random::from_seed(7)));
/// ```
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// Creates a source that is seeded by the operating system.
    pub fn from_machine() -> Self {
        use std::hash::{BuildHasher as _, RandomState};
        // The standard library gets the keys of its hash tables from the operating system.
        Self::from_seed(RandomState::new().hash_one(0_u64))
    }

    /// Creates a source from a seed.
    pub fn from_seed(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Returns another source, independent of the later numbers of this one.
    pub fn fork(&mut self) -> Self {
        Self(self.0.fork())
    }

    /// Returns 128 random bits.
    pub fn bits(&mut self) -> u128 {
        self.0.u128(..)
    }

    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    pub fn fraction(&mut self) -> f64 {
        self.0.f64()
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { self.0.usize(..limit) }
    }

    /// Returns a duration from `least` to `most`.
    pub fn duration(&mut self, minimum: Duration, maximum: Duration) -> Duration {
        minimum + maximum.saturating_sub(minimum).mul_f64(self.fraction())
    }

    /// Shuffles values.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        self.0.shuffle(values);
    }
}
