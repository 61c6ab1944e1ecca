//! The observable state of a queue.

use std::time::Duration;

use serde::Serialize;

/// The state of a queue at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueStatus<K> {
    /// The number of keys that are ready and wait for their turn.
    pub depth: usize,
    /// The number of delayed keys.
    pub delayed: usize,
    /// The number of keys in flight.
    pub in_flight: usize,
    /// The keys whose last turn failed, in arbitrary order.
    pub failing: Vec<Failing<K>>,
}

impl<K> QueueStatus<K> {
    /// Converts the keys to texts, and sorts them.
    pub fn with_texts(self, text: impl Fn(K) -> String) -> QueueStatus<String> {
        let Self { depth, delayed, in_flight, failing } = self;
        let failing_texts = failing.into_iter().map(|Failing { key, failures, error, retry_in }| Failing {
            key: text(key),
            failures,
            error,
            retry_in,
        });
        let mut failing: Vec<_> = failing_texts.collect();
        failing.sort_by(|one, other| one.key.cmp(&other.key));
        QueueStatus { depth, delayed, in_flight, failing }
    }
}

/// A key whose last turn failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failing<K> {
    /// The key.
    pub key: K,
    /// The number of consecutive failures.
    pub failures: u32,
    /// The text of the last failure.
    pub error: String,
    /// The time until the next attempt; `None` while it is running.
    pub retry_in: Option<Duration>,
}
