//! What a controller has done, for who looks at it from outside.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::identity::{Id, Type};
use crate::runtime::cache::Cache;
use crate::runtime::events::Events;
use crate::runtime::queue::{Queue, QueueStatus};

use super::feed::Feed;

/// The upper bounds of how long reconciles take, each bucket with all that take less.
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

/// What a controller has done, over all of its runs.
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

/// What can be seen of a run that goes on.
pub(crate) struct RunView {
    pub(crate) queue: Queue<Id>,
    pub(crate) feeds: Vec<Feed>,
    pub(crate) cache: Cache,
    pub(crate) types: Vec<Type>,
}

/// A run that can be seen.
#[must_use]
pub(super) struct Seen<'r>(&'r Record);

impl Drop for Seen<'_> {
    fn drop(&mut self) {
        self.0.lock().run = None;
    }
}

/// How a reconcile ended.
pub(super) enum Ended {
    Succeeded,
    Requeued,
    Failed(String),
    Panicked(String),
}

/// How many reconciles there were, since the program began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Reconciles {
    /// How many succeeded and wait for a change.
    pub succeeded: u64,
    /// How many succeeded and asked for another turn.
    pub requeued: u64,
    /// How many failed.
    pub failed: u64,
    /// How many panicked.
    pub panicked: u64,
    /// How long all of them took.
    pub time: Duration,
    /// How many took so long at most.
    #[serde(skip)]
    pub(crate) buckets: [u64; BUCKETS.len()],
}

impl Reconciles {
    /// How many there were.
    pub fn total(&self) -> u64 {
        self.succeeded + self.requeued + self.failed + self.panicked
    }
}

/// The last error of a reconcile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LastError {
    /// The resource.
    pub id: Id,
    /// What the error said.
    pub error: String,
    /// How long ago that was.
    pub ago: Duration,
}

/// What waits to be mapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeedStatus {
    /// The type that is watched, or the name of the stream.
    pub source: String,
    /// Its events.
    pub queue: QueueStatus<String>,
}

/// How many resources of a type a controller knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheStatus {
    /// The type.
    #[serde(rename = "type")]
    pub resource_type: String,
    /// How many.
    pub resources: usize,
}

/// What can be seen of a run at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunStatus {
    /// What waits to be reconciled.
    pub queue: QueueStatus<String>,
    /// What waits to be mapped, for each watch and stream.
    pub feeds: Vec<FeedStatus>,
    /// What is in the cache.
    pub cache: Vec<CacheStatus>,
}

impl Record {
    /// A run begins. It has ended when what is returned is dropped.
    pub(super) fn begin(&self, run: RunView) -> Seen<'_> {
        self.lock().run = Some(run);
        Seen(self)
    }

    /// A reconcile has ended.
    pub(super) fn ended(&self, id: &Id, ended: Ended, took: Duration) {
        let mut state = self.lock();
        let reconciles = &mut state.reconciles;
        let error = match ended {
            Ended::Succeeded => {
                reconciles.succeeded += 1;
                None
            }
            Ended::Requeued => {
                reconciles.requeued += 1;
                None
            }
            Ended::Failed(error) => {
                reconciles.failed += 1;
                Some(error)
            }
            Ended::Panicked(error) => {
                reconciles.panicked += 1;
                Some(error)
            }
        };
        reconciles.time += took;
        for (count, _) in reconciles.buckets.iter_mut().zip(BUCKETS).filter(|(_, bound)| took <= *bound) {
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

    /// What is said about resources.
    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// What can be seen of the run; None when there is none.
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
