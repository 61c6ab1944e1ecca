//! Chance.

use std::time::Duration;

/// A source of random numbers. From the same seed come the same numbers, in the same order.
///
/// It is for uids and for spreading work over time, not for secrets.
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
    /// A source that the operating system seeds.
    pub fn from_machine() -> Self {
        use std::hash::{BuildHasher as _, RandomState};
        // The standard library asks the operating system for the keys of its hash tables.
        Self::from_seed(RandomState::new().hash_one(0_u64))
    }

    /// The source of a seed.
    pub fn from_seed(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Another source, whose numbers have nothing to do with those that come from this one later.
    pub fn fork(&mut self) -> Self {
        Self(self.0.fork())
    }

    /// 128 random bits.
    pub fn bits(&mut self) -> u128 {
        self.0.u128(..)
    }

    /// A number from 0 up to, but not with, 1.
    pub fn fraction(&mut self) -> f64 {
        self.0.f64()
    }

    /// A number below `limit`; 0 when that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { self.0.usize(..limit) }
    }

    /// A duration from `least` to `most`.
    pub fn duration(&mut self, least: Duration, most: Duration) -> Duration {
        least + most.saturating_sub(least).mul_f64(self.fraction())
    }

    /// Puts values in a random order.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        self.0.shuffle(values);
    }
}
