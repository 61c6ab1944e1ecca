//! A pseudo-random generator with reproducible results.

/// A `SplitMix64` generator, which is random enough for tests.
#[derive(Clone, Debug)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0 if `bound` is 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    /// Returns `true` with a probability of one in `of`.
    pub(super) fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// Picks an item, preferring the first ones, which a person would most likely choose.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let short_len = from.len().min(2);
        let index = if self.once_in(2) { self.below(short_len) } else { self.below(from.len()) };
        from.get(index)
    }
}
