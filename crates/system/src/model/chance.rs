//! Deterministic pseudo-random numbers.

/// A generator of numbers that depend only on its seed.
#[derive(Debug)]
pub(super) struct Chance {
    seed: u64,
    next: u64,
}

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, next: seed }
    }

    /// Restarts the sequence, so that a repeated run gets the same numbers.
    pub(super) fn restart(&mut self) {
        self.next = self.seed;
    }

    /// Returns the next number of a sequence that contains each number once (`SplitMix64`).
    pub(super) fn number(&mut self) -> u64 {
        self.next = self.next.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.next ^ (self.next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
