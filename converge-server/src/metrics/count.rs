//! What is counted with: counters that only grow, gauges, and histograms of times. All of them cost an addition.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The upper bounds of the buckets of a [`Histogram`]; what takes longer is in one more.
const BOUNDS: [Duration; 5] = [
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
];

/// One of a few words that are known when this is compiled, and so no others ever become labels.
pub(crate) trait Label: Copy + PartialEq + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// The word.
    fn word(self) -> &'static str;
}

/// Grows. Clones are the same one.
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

/// A counter for each word.
#[derive(Debug)]
pub(super) struct Counters<L>(Box<[Counter]>, PhantomData<L>);

impl<L: Label> Default for Counters<L> {
    fn default() -> Self {
        Self(L::ALL.iter().map(|_| Counter::default()).collect(), PhantomData)
    }
}

impl<L: Label> Counters<L> {
    /// The one of a word.
    pub(super) fn of(&self, word: L) -> Counter {
        let at = L::ALL.iter().position(|other| *other == word);
        // A word that is missing in the list of all is counted where nobody looks.
        at.and_then(|at| self.0.get(at)).cloned().unwrap_or_default()
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (&'static str, u64)> {
        L::ALL.iter().zip(&self.0).map(|(word, counter)| (word.word(), counter.value()))
    }
}

/// How many there are now. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gauge(Arc<AtomicU64>);

/// One of those that a [`Gauge`] counts, until it is dropped.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Gauge {
    /// One more, for as long as the result is kept.
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

/// How long something takes, in a few buckets.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// How many took that long; the last one is of those that took longer than any bound.
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

    /// How many took at most how long: one for each bound, in seconds, and last all of them.
    pub(super) fn cumulative(&self) -> Vec<(String, u64)> {
        let bounds = BOUNDS.iter().map(|bound| format!("{:?}", bound.as_secs_f64()));
        let mut total = 0;
        let counts = self.buckets.iter().map(|bucket| {
            total += bucket.load(Ordering::Relaxed);
            total
        });
        bounds.chain(["+Inf".to_owned()]).zip(counts).collect()
    }

    /// How many seconds all of them took together.
    pub(super) fn seconds(&self) -> f64 {
        Duration::from_micros(self.micros.load(Ordering::Relaxed)).as_secs_f64()
    }
}

/// How long it has been, since this was made.
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
        let kept = [gauge.hold(), gauge.clone().hold()];
        assert_eq!(gauge.value(), 2);
        drop(kept);
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
