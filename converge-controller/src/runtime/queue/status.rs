//! What can be seen of a queue.

use std::time::Duration;

use serde::Serialize;

/// What can be seen of a queue at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueStatus<K> {
    /// How many keys are ready and wait for their turn.
    pub depth: usize,
    /// How many keys are ready later.
    pub delayed: usize,
    /// How many keys have their turn.
    pub in_flight: usize,
    /// The keys whose last turn failed, in no order.
    pub failing: Vec<Failing<K>>,
}

impl<K> QueueStatus<K> {
    /// The same with its keys as texts, in the order of these.
    pub fn with_texts(self, text: impl Fn(K) -> String) -> QueueStatus<String> {
        let Self { depth, delayed, in_flight, failing } = self;
        let named = failing.into_iter().map(|Failing { key, failures, error, retry_in }| Failing {
            key: text(key),
            failures,
            error,
            retry_in,
        });
        let mut failing: Vec<_> = named.collect();
        failing.sort_by(|one, other| one.key.cmp(&other.key));
        QueueStatus { depth, delayed, in_flight, failing }
    }
}

/// A key whose last turn failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failing<K> {
    /// The key.
    pub key: K,
    /// How many times it failed in a row.
    pub failures: u32,
    /// What the last failure said.
    pub error: String,
    /// How long until it is tried again. None: it is being tried.
    pub retry_in: Option<Duration>,
}
