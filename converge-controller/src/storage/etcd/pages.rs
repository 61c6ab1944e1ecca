//! How much is read at once.

use super::wire::{KeyValue, Method};

/// How many keys one request asks for. Etcd limits the keys of an answer and not its bytes, so their number follows from how large
/// those before were; an answer that is far larger in spite of that is refused on its way, and asked for again in smaller parts.
#[derive(Debug)]
pub(super) struct Pages {
    keys: usize,
    most: usize,
}

/// How many bytes an answer should have.
const BYTES: usize = 4 << 20;
/// How many keys are asked for at first, while nothing is known of them.
const FIRST: usize = 100;
/// How many times as many may be asked for than before.
const GROWTH: usize = 4;
/// By how much a page shrinks that was too large.
const SHRINKING: usize = 8;

impl Pages {
    /// Pages of so many keys at most.
    pub(super) fn of_at_most(most: usize) -> Self {
        Self { keys: FIRST.min(most), most }
    }

    /// How many keys the next request asks for.
    pub(super) fn keys(&self) -> usize {
        self.keys
    }

    /// How that is asked: a single key comes whatever its size.
    pub(super) fn bounded(&self, method: Method) -> Method {
        if self.keys > 1 { method.bounded() } else { method }
    }

    /// Notes what has come.
    pub(super) fn came(&mut self, page: &[KeyValue]) {
        let bytes: usize = page.iter().map(|found| found.key.len() + found.value.len()).sum();
        let each = (bytes / page.len().max(1)).max(1);
        self.keys = (BYTES / each).clamp(1, self.most.min(self.keys * GROWTH));
    }

    /// Asks for less; false where that is not possible.
    pub(super) fn shrink(&mut self) -> bool {
        let before = self.keys;
        self.keys = (before / SHRINKING).max(1);
        self.keys < before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(keys: usize, bytes: usize) -> Vec<KeyValue> {
        vec![KeyValue { value: vec![0; bytes].into(), ..KeyValue::default() }; keys]
    }

    #[test]
    fn the_larger_they_are_the_fewer_are_asked_for() {
        let mut pages = Pages::of_at_most(1_000);
        let mut next = |keys, bytes| {
            pages.came(&page(keys, bytes));
            pages.keys()
        };
        assert_eq!([next(100, 1_000), next(400, 1_000), next(1_000, 1_000)], [400, 1_000, 1_000]);
        assert_eq!([next(1_000, 40_000), next(104, 2 << 20), next(2, 8 << 20)], [104, 2, 1]);
        // Small ones again: not all at once.
        assert_eq!([next(1, 10), next(4, 10), next(0, 0)], [4, 16, 64]);
    }

    #[test]
    fn what_was_too_large_is_asked_for_in_parts() {
        let mut pages = Pages::of_at_most(100);
        assert_eq!((pages.keys(), pages.shrink(), pages.keys()), (100, true, 12));
        assert_eq!((pages.shrink(), pages.keys(), pages.shrink()), (true, 1, false));
    }
}
