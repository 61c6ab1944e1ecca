//! Statistics and the current state of a controller, for observers.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::identity::{Id, Type};
use crate::runtime::cache::Cache;
use crate::runtime::events::Events;
use crate::runtime::queue::{Queue, QueueStatus};

use super::feed::Feed;

/// The upper bounds of the histogram of reconcile durations; each bucket includes the smaller ones.
pub(crate) const BUCKETS: [Duration; 9] = [
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(20),
    Duration::from_mins(1),
];

/// The statistics of a controller over all of its runs.
#[derive(Default)]
pub(crate) struct Record {
    state: Mutex<State>,
    events: Events,
}

#[derive(Default)]
struct State {
    reconciles: Reconciles,
    last_error: Option<(Id, String, Instant)>,
    run: Option<RunView>,
}

/// The observable parts of the current run.
pub(crate) struct RunView {
    pub(crate) queue: Queue<Id>,
    pub(crate) feeds: Vec<Feed>,
    pub(crate) cache: Cache,
    pub(crate) types: Vec<Type>,
}

/// A guard of an observable run, which ends its visibility on drop.
#[must_use]
pub(super) struct RunGuard<'r>(&'r Record);

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        self.0.lock().run = None;
    }
}

/// The outcome of a reconcile.
pub(super) enum ReconcileOutcome {
    Succeeded,
    Requeued,
    Failed(String),
    Panicked(String),
}

/// The counts of reconciles since the program began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reconciles {
    /// The number of successful reconciles that wait for a change.
    pub succeeded: u64,
    /// The number of successful reconciles that requested another one.
    pub requeued: u64,
    /// The number of failed reconciles.
    pub failed: u64,
    /// The number of reconciles that panicked.
    pub panicked: u64,
    /// The total duration of all reconciles.
    pub time: Duration,
    /// The cumulative number of reconciles in each bucket of [`BUCKETS`].
    #[serde(skip)]
    pub(crate) buckets: [u64; BUCKETS.len()],
}

impl Reconciles {
    /// Returns the total number of reconciles.
    pub fn total(&self) -> u64 {
        self.succeeded + self.requeued + self.failed + self.panicked
    }
}

/// The last error of a reconcile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastError {
    /// The resource.
    pub id: Id,
    /// The text of the error.
    pub error: String,
    /// The time since the error.
    pub ago: Duration,
}

/// The queue of events that wait to be mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeedStatus {
    /// The watched type, or the name of the stream.
    pub source: String,
    /// The queued events.
    pub queue: QueueStatus<String>,
}

/// The number of cached resources of a type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheStatus {
    /// The type.
    #[serde(rename = "type")]
    pub resource_type: String,
    /// The number of resources.
    pub resources: usize,
}

/// The state of a run at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    /// The queue of resources to reconcile.
    pub queue: QueueStatus<String>,
    /// The queues of events to map, for each watch and stream.
    pub feeds: Vec<FeedStatus>,
    /// The contents of the cache.
    pub cache: Vec<CacheStatus>,
}

impl Record {
    /// Makes a run observable until the returned guard is dropped.
    pub(super) fn begin(&self, run: RunView) -> RunGuard<'_> {
        self.lock().run = Some(run);
        RunGuard(self)
    }

    /// Records the outcome of a reconcile.
    pub(super) fn ended(&self, id: &Id, ended: ReconcileOutcome, elapsed: Duration) {
        let mut state = self.lock();
        let reconciles = &mut state.reconciles;
        let error = match ended {
            ReconcileOutcome::Succeeded => {
                reconciles.succeeded += 1;
                None
            }
            ReconcileOutcome::Requeued => {
                reconciles.requeued += 1;
                None
            }
            ReconcileOutcome::Failed(error) => {
                reconciles.failed += 1;
                Some(error)
            }
            ReconcileOutcome::Panicked(error) => {
                reconciles.panicked += 1;
                Some(error)
            }
        };
        reconciles.time += elapsed;
        for (count, _) in reconciles.buckets.iter_mut().zip(BUCKETS).filter(|(_, bound)| elapsed <= *bound) {
            *count += 1;
        }
        if let Some(error) = error {
            self.events.push(id, &error);
            state.last_error = Some((id.clone(), error, Instant::now()));
        }
    }

    pub(crate) fn reconciles(&self) -> Reconciles {
        self.lock().reconciles.clone()
    }

    pub(crate) fn last_error(&self) -> Option<LastError> {
        let last = self.lock().last_error.clone();
        last.map(|(id, error, at)| LastError { id, error, ago: at.elapsed() })
    }

    /// Returns the events of resources.
    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Returns the state of the current run, or `None` if there is none.
    pub(crate) fn run(&self) -> Option<RunStatus> {
        let state = self.lock();
        let RunView { queue, feeds, cache, types } = state.run.as_ref()?;
        let feeds =
            feeds.iter().map(|feed| FeedStatus { source: feed.source.to_string(), queue: feed.status() });
        let cached = types.iter().map(|resource_type| CacheStatus {
            resource_type: resource_type.to_string(),
            resources: cache.count(resource_type),
        });
        Some(RunStatus {
            queue: queue.status().with_texts(|id| id.to_string()),
            feeds: feeds.collect(),
            cache: cached.collect(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
