//! The state of controllers as JSON.
//!
//! Times are in seconds.

use std::time::Duration;

use converge_controller::runtime::{
    ControllerStatus, FeedStatus, Phase, Placement, QueueStatus, Reconciles as Counts, ResourceEvent,
};
use serde::{Deserialize, Serialize};

/// The controllers of a server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Controllers {
    /// The controllers in the order of registration.
    pub(crate) controllers: Vec<Controller>,
}

/// The state of a controller.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Controller {
    pub(crate) name: String,
    /// The type that the controller reconciles.
    pub(crate) managed_type: String,
    /// The other types that the controller watches.
    pub(crate) watched_types: Vec<String>,
    /// `singleton` or `each_server`.
    pub(crate) placement: String,
    /// The phase: `waiting` for the lease, `running`, `restarting` or `stopped`.
    pub(crate) phase: String,
    /// The time until the restart after a failure.
    pub(crate) restart_in: Option<f64>,
    pub(crate) restarts: u64,
    /// The reason for the last restart.
    pub(crate) last_failure: Option<String>,
    /// The reconciles since the server started.
    pub(crate) reconciles: Reconciles,
    /// The last error of a reconcile.
    pub(crate) last_error: Option<LastError>,
    /// The recent events about resources, the latest last.
    #[serde(default)]
    pub(crate) events: Vec<Event>,
    /// The queue; absent while the controller does not run.
    pub(crate) queue: Option<Queue>,
    /// The events that wait to be mapped to keys of the queue.
    pub(crate) feeds: Vec<Feed>,
    /// The number of cached resources by type.
    pub(crate) cache: Vec<Cached>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reconciles {
    pub(crate) succeeded: u64,
    /// The number of successful reconciles that asked to run again.
    pub(crate) requeued: u64,
    pub(crate) failed: u64,
    pub(crate) panicked: u64,
    /// The total duration.
    pub(crate) seconds: f64,
}

/// The last error of a reconcile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LastError {
    pub(crate) resource: String,
    pub(crate) error: String,
    pub(crate) ago: f64,
}

/// An event about a resource.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) resource: String,
    pub(crate) text: String,
    /// The number of occurrences.
    pub(crate) times: u64,
    /// The time since the last occurrence.
    pub(crate) ago: f64,
}

/// The queue of keys.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queue {
    /// The number of keys that are ready.
    pub(crate) depth: usize,
    /// The number of keys that become ready later.
    pub(crate) delayed: usize,
    /// The number of running reconciles.
    pub(crate) in_flight: usize,
    /// The keys whose last reconcile failed.
    pub(crate) failing: Vec<Failing>,
}

/// A key whose last reconcile failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failing {
    pub(crate) key: String,
    /// The number of consecutive failures.
    pub(crate) failures: u32,
    pub(crate) error: String,
    /// The time until the retry; absent while the retry runs.
    pub(crate) retry_in: Option<f64>,
}

/// The unmapped events of one watch or stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Feed {
    pub(crate) source: String,
    #[serde(flatten)]
    pub(crate) queue: Queue,
}

/// The number of cached resources of a type.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cached {
    #[serde(rename = "type")]
    pub(crate) resource_type: String,
    pub(crate) resources: usize,
}

impl From<Vec<ControllerStatus>> for Controllers {
    fn from(statuses: Vec<ControllerStatus>) -> Self {
        Self { controllers: statuses.into_iter().map(Controller::from).collect() }
    }
}

impl From<ControllerStatus> for Controller {
    fn from(status: ControllerStatus) -> Self {
        let ControllerStatus { supervisor, run, last_error, events, .. } = status;
        let (queue, feeds, cache) = match run {
            Some(run) => (Some(run.queue), run.feeds, run.cache),
            None => (None, Vec::new(), Vec::new()),
        };
        Self {
            name: status.name,
            managed_type: status.managed_type,
            watched_types: status.watched_types,
            placement: match status.placement {
                Placement::Singleton => "singleton",
                Placement::EachServer => "each_server",
            }
            .to_owned(),
            phase: phase(supervisor.phase).to_owned(),
            restart_in: supervisor.restart_in.as_ref().map(Duration::as_secs_f64),
            restarts: supervisor.restarts,
            last_failure: supervisor.last_error,
            reconciles: status.reconciles.into(),
            last_error: last_error.map(|last| LastError {
                resource: last.id.to_string(),
                error: last.error,
                ago: last.ago.as_secs_f64(),
            }),
            events: events.into_iter().map(Event::from).collect(),
            queue: queue.map(Queue::from),
            feeds: feeds.into_iter().map(Feed::from).collect(),
            cache: cache
                .into_iter()
                .map(|cached| Cached { resource_type: cached.resource_type, resources: cached.resources })
                .collect(),
        }
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Waiting => "waiting",
        Phase::Running => "running",
        Phase::Restarting => "restarting",
        Phase::Stopped => "stopped",
    }
}

impl From<ResourceEvent> for Event {
    fn from(event: ResourceEvent) -> Self {
        let ResourceEvent { id, text, times, ago } = event;
        Self { resource: id.to_string(), text, times, ago: ago.as_secs_f64() }
    }
}

impl From<Counts> for Reconciles {
    fn from(counts: Counts) -> Self {
        Self {
            succeeded: counts.succeeded,
            requeued: counts.requeued,
            failed: counts.failed,
            panicked: counts.panicked,
            seconds: counts.time.as_secs_f64(),
        }
    }
}

impl From<QueueStatus<String>> for Queue {
    fn from(queue: QueueStatus<String>) -> Self {
        let failing = queue.failing.into_iter().map(|failing| Failing {
            key: failing.key,
            failures: failing.failures,
            error: failing.error,
            retry_in: failing.retry_in.as_ref().map(Duration::as_secs_f64),
        });
        Self {
            depth: queue.depth,
            delayed: queue.delayed,
            in_flight: queue.in_flight,
            failing: failing.collect(),
        }
    }
}

impl From<FeedStatus> for Feed {
    fn from(feed: FeedStatus) -> Self {
        Self { source: feed.source, queue: feed.queue.into() }
    }
}
