//! Counters, gauges and histograms of times, each of which costs one addition per update.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The upper bounds of the buckets of a [`Histogram`].
///
/// One more bucket holds longer times.
const BOUNDS: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
];

/// A label value from a fixed set that is known at compile time, so that clients cannot create others.
pub(crate) trait Label: Copy + PartialEq + 'static {
    /// All values.
    const ALL: &'static [Self];

    /// Returns the text of the value.
    fn word(self) -> &'static str;
}

/// A counter that only grows.
///
/// Clones share one counter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(crate) fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A counter for each label value.
#[derive(Debug)]
pub(super) struct Counters<L>(Box<[Counter]>, PhantomData<L>);

impl<L: Label> Default for Counters<L> {
    fn default() -> Self {
        Self(L::ALL.iter().map(|_| Counter::default()).collect(), PhantomData)
    }
}

impl<L: Label> Counters<L> {
    /// Returns the counter of a label value.
    pub(super) fn counter(&self, word: L) -> Counter {
        let index = L::ALL.iter().position(|other| *other == word);
        // A value that is missing in `ALL` is counted but never shown.
        index.and_then(|index| self.0.get(index)).cloned().unwrap_or_default()
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        L::ALL.iter().zip(&self.0).map(|(word, counter)| (word.word(), counter.value()))
    }
}

/// A gauge of current items.
///
/// Clones share one gauge.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<AtomicU64>);

/// An item that a [`Gauge`] counts until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Gauge {
    /// Counts one more item until the result is dropped.
    pub(crate) fn hold(&self) -> Counted {
        self.0.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    pub(super) fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A histogram of durations with a few buckets.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// The number of durations in each bucket.
    ///
    /// The last bucket is for durations over all bounds.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    pub(super) fn add(&self, time: Duration) {
        let bucket = BOUNDS.iter().position(|bound| time <= *bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Returns the cumulative counts: one for each bound in seconds, and the total.
    pub(super) fn cumulative(&self) -> Vec<(String, u64)> {
        let bounds = BOUNDS.iter().map(|bound| format!("{:?}", bound.as_secs_f64()));
        let mut total = 0;
        let counts = self.buckets.iter().map(|bucket| {
            total += bucket.load(Ordering::Relaxed);
            total
        });
        bounds.chain(["+Inf".to_owned()]).zip(counts).collect()
    }

    /// Returns the sum of all durations in seconds.
    pub(super) fn seconds(&self) -> f64 {
        Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64()
    }
}

/// The time since its creation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_counts_what_is_kept() {
        let gauge = Gauge::default();
        let guards = [gauge.hold(), gauge.clone().hold()];
        assert_eq!(gauge.value(), 2);
        drop(guards);
        assert_eq!(gauge.value(), 0);
    }

    #[test]
    fn times_are_in_the_first_bucket_that_is_long_enough() {
        let histogram = Histogram::default();
        for millis in [0, 1, 2, 10, 99, 10_000, 10_001] {
            histogram.add(Duration::from_millis(millis));
        }
        let counts = histogram.cumulative();
        let counts: Vec<_> = counts.iter().map(|(bound, count)| (bound.as_str(), *count)).collect();
        let expect = [("0.001", 2), ("0.01", 4), ("0.1", 5), ("1.0", 5), ("10.0", 6), ("+Inf", 7)];
        assert_eq!(counts, expect);
        assert!((histogram.seconds() - 20.113).abs() < 1e-9);
    }
}
