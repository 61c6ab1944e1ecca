//! The page size of large reads.

use super::wire::{KeyValue, Method};

/// The number of keys per request.
///
/// Etcd limits the keys of a response but not its bytes, so the number is derived from the size of earlier
/// responses. A response that is still far too large is refused, and requested again in smaller pages.
#[derive(Debug)]
pub(super) struct Pages {
    keys: usize,
    most: usize,
}

/// The target size of a response in bytes.
const BYTES: usize = 4 << 20;
/// The number of keys in the first request.
const FIRST: usize = 100;
/// The maximum factor by which the page grows.
const GROWTH: usize = 4;
/// The factor by which a page that was too large shrinks.
const SHRINKING: usize = 8;

impl Pages {
    /// Creates pages of at most this many keys.
    pub(super) fn with_max_keys(maximum: usize) -> Self {
        Self { keys: FIRST.min(maximum), most: maximum }
    }

    /// Returns the number of keys of the next request.
    pub(super) fn keys(&self) -> usize {
        self.keys
    }

    /// Adds the size limit to a method; a single key is accepted whatever its size.
    pub(super) fn bounded(&self, method: Method) -> Method {
        if self.keys > 1 { method.bounded() } else { method }
    }

    /// Records a received page.
    pub(super) fn record(&mut self, page: &[KeyValue]) {
        let bytes: usize = page.iter().map(|kv| kv.key.len() + kv.value.len()).sum();
        let average = (bytes / page.len().max(1)).max(1);
        self.keys = (BYTES / average).clamp(1, self.most.min(self.keys * GROWTH));
    }

    /// Shrinks the page, and returns false if that is not possible.
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
        let mut pages = Pages::with_max_keys(1_000);
        let mut next = |keys, bytes| {
            pages.record(&page(keys, bytes));
            pages.keys()
        };
        assert_eq!([next(100, 1_000), next(400, 1_000), next(1_000, 1_000)], [400, 1_000, 1_000]);
        assert_eq!([next(1_000, 40_000), next(104, 2 << 20), next(2, 8 << 20)], [104, 2, 1]);
        // The values are small again, and the pages grow step by step.
        assert_eq!([next(1, 10), next(4, 10), next(0, 0)], [4, 16, 64]);
    }

    #[test]
    fn what_was_too_large_is_asked_for_in_parts() {
        let mut pages = Pages::with_max_keys(100);
        assert_eq!((pages.keys(), pages.shrink(), pages.keys()), (100, true, 12));
        assert_eq!((pages.shrink(), pages.keys(), pages.shrink()), (true, 1, false));
    }
}
