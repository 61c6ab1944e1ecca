//! What controllers do, as JSON. Times are seconds.

use std::time::Duration;

use converge_controller::runtime::{
    ControllerStatus, FeedStatus, Phase, Placement, QueueStatus, Reconciles as Counts, ResourceEvent,
};
use serde::{Deserialize, Serialize};

/// What the controllers of a server do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Controllers {
    /// Each of them, in the order in which they were registered.
    pub(crate) controllers: Vec<Controller>,
}

/// What a controller does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Controller {
    pub(crate) name: String,
    /// The type that it reconciles.
    pub(crate) managed_type: String,
    /// The other types that it watches.
    pub(crate) watched_types: Vec<String>,
    /// `singleton` or `each_server`.
    pub(crate) placement: String,
    /// `waiting` for its lease, `running`, `restarting` or `stopped`.
    pub(crate) phase: String,
    /// How long until it begins again after it failed.
    pub(crate) restart_in: Option<f64>,
    /// How often it began again.
    pub(crate) restarts: u64,
    /// Why it had to, the last time.
    pub(crate) last_failure: Option<String>,
    /// What it has done since the server began.
    pub(crate) reconciles: Reconciles,
    /// The last error of a reconcile.
    pub(crate) last_error: Option<LastError>,
    /// What was said last about resources, the latest at the end.
    #[serde(default)]
    pub(crate) events: Vec<Event>,
    /// What waits to be reconciled; nothing while it does not run.
    pub(crate) queue: Option<Queue>,
    /// What waits to be mapped to that.
    pub(crate) feeds: Vec<Feed>,
    /// How many resources of each type it knows.
    pub(crate) cache: Vec<Cached>,
}

/// How many reconciles there were.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reconciles {
    pub(crate) succeeded: u64,
    /// Those that succeeded and asked for another turn.
    pub(crate) requeued: u64,
    pub(crate) failed: u64,
    pub(crate) panicked: u64,
    /// How long all of them took.
    pub(crate) seconds: f64,
}

/// The last error of a reconcile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LastError {
    pub(crate) resource: String,
    pub(crate) error: String,
    pub(crate) ago: f64,
}

/// What was said about a resource.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) resource: String,
    pub(crate) text: String,
    /// How often the same was said.
    pub(crate) times: u64,
    /// How long ago, the last time.
    pub(crate) ago: f64,
}

/// What waits, by key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Queue {
    /// How many wait for their turn.
    pub(crate) depth: usize,
    /// How many are ready later.
    pub(crate) delayed: usize,
    /// How many have their turn.
    pub(crate) in_flight: usize,
    /// Those whose last turn failed.
    pub(crate) failing: Vec<Failing>,
}

/// A key whose last turn failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failing {
    pub(crate) key: String,
    /// How often in a row.
    pub(crate) failures: u32,
    pub(crate) error: String,
    /// How long until it is tried again; none while it is being tried.
    pub(crate) retry_in: Option<f64>,
}

/// What waits to be mapped, of one watch or stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Feed {
    pub(crate) source: String,
    #[serde(flatten)]
    pub(crate) queue: Queue,
}

/// How many resources of a type are known.
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
