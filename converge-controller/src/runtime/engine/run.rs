//! One run of a controller, from its initializer to its last reconcile.

use std::sync::{Arc, Mutex};

use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tracing::Instrument as _;

use crate::clock::Random;
use crate::identity::Id;
use crate::runtime::cache::CacheWriter;
use crate::runtime::context::Runtime;
use crate::runtime::panic::contained_now;
use crate::runtime::queue::Queue;
use crate::runtime::restart_delay::Flapping;
use crate::runtime::supervisor::{Ending, RunError};
use crate::service::Client;

use super::definition::{Definition, Notice};
use super::feed::{Changes, FeedSetting, Task};
use super::follow::{Follow, Sink};
use super::record::{Record, RunView};
use super::worker::Work;

/// Runs a controller until it is told to end. No task of the run outlives this function.
///
/// # Errors
///
/// Fails if the initializer fails, if a watch is refused, or if a task ends unexpectedly.
pub(crate) async fn run(
    definition: Arc<Definition>,
    client: Client,
    record: Arc<Record>,
    mut random: Random,
    ending: Ending,
) -> Result<(), RunError> {
    let cache = Arc::new(definition.cache.build());
    let runtime = Runtime::new(Arc::clone(&definition.name), client, cache.cache().clone())
        .with_events(record.events().clone());
    if let Some(initialize) = &definition.settings.initialize {
        tokio::select! {
            biased;
            () = ending.abandon() => return Ok(()),
            () = ending.finish() => return Ok(()),
            result = initialize(runtime.clone(), ()) => result?,
        }
    }

    let _notices = Notices::begin(&definition, &runtime)?;
    let queue = Queue::with_cooldown(definition.settings.backoff, definition.settings.cooldown);
    let mut parts = Parts::new(&definition, &runtime, &cache, &queue, &mut random);
    let _seen = record.begin(parts.view(&runtime, &queue, &definition));
    let work = Work {
        definition: Arc::clone(&definition),
        runtime,
        queue: queue.clone(),
        record: Arc::clone(&record),
        random: Mutex::new(random),
    };
    let result = parts.run(Arc::new(work), &ending).await;
    // All tasks must have ended before the next run may begin.
    parts.feeding.shutdown().await;
    parts.working.shutdown().await;
    result
}

/// The concurrent tasks of a run.
struct Parts {
    /// The tasks that fill queues.
    feeding: JoinSet<Result<(), RunError>>,
    /// The workers that reconcile.
    working: JoinSet<()>,
    /// The mapping tasks, which start once the cache is complete.
    mapping: Vec<Task>,
    feeds: Vec<super::feed::Feed>,
    primed: watch::Receiver<usize>,
    types: usize,
}

impl Parts {
    /// Starts the watches of all types, and prepares the other tasks.
    fn new(
        definition: &Definition,
        runtime: &Runtime,
        cache: &Arc<CacheWriter>,
        queue: &Queue<Id>,
        random: &mut Random,
    ) -> Self {
        let (primed, receiver) = watch::channel(0);
        let mut parts = Self {
            feeding: JoinSet::new(),
            working: JoinSet::new(),
            mapping: Vec::new(),
            feeds: Vec::new(),
            primed: receiver,
            types: definition.watches().count(),
        };
        let mut follow = |watched: &super::definition::Watched, sink| Follow {
            watched: watched.clone(),
            client: runtime.client.clone(),
            cache: Arc::clone(cache),
            sink,
            primed: Some(primed.clone()),
            flapping: Flapping::new(random.fork()),
        };
        let managed = follow(&definition.managed, Sink::Requests(queue.clone()));
        parts.feeding.spawn(managed.run().in_current_span());
        for mapped in &definition.mapped {
            let changes = Changes::new(definition.settings.backoff);
            let follow = follow(&mapped.watched, Sink::Changes(changes.clone()));
            parts.feeding.spawn(follow.run().in_current_span());
            let source: Arc<str> = mapped.watched.resource_type.to_string().into();
            parts.feeds.push(changes.feed(Arc::clone(&source)));
            let (map, runtime) = (Arc::clone(&mapped.map), runtime.clone());
            let serve = changes.serve(queue.clone(), source, move |changed| map(runtime.clone(), changed));
            parts.mapping.push(Box::pin(serve));
        }
        for stream in &definition.streams {
            let setting = FeedSetting {
                runtime: runtime.clone(),
                requests: queue.clone(),
                backoff: definition.settings.backoff,
            };
            let (feed, tasks) = (stream.open)(setting);
            parts.feeds.push(feed);
            parts.mapping.extend(tasks);
        }
        parts
    }

    fn view(&self, runtime: &Runtime, queue: &Queue<Id>, definition: &Definition) -> RunView {
        RunView {
            queue: queue.clone(),
            feeds: self.feeds.clone(),
            cache: runtime.cache.clone(),
            types: definition.watches().map(|watched| watched.resource_type.clone()).collect(),
        }
    }

    async fn run(&mut self, work: Arc<Work>, ending: &Ending) -> Result<(), RunError> {
        let types = self.types;
        tokio::select! {
            biased;
            () = ending.abandon() => return Ok(()),
            () = ending.finish() => return Ok(()),
            result = failed(&mut self.feeding) => return result,
            _ = self.primed.wait_for(|primed| *primed >= types) => {}
        }
        for task in self.mapping.drain(..) {
            self.feeding.spawn(task.in_current_span());
        }
        for _ in 0..work.definition.settings.concurrency.max(1) {
            self.working.spawn(Arc::clone(&work).run().in_current_span());
        }
        tokio::select! {
            biased;
            () = ending.abandon() => Ok(()),
            () = ending.finish() => {
                self.finish(&work, ending).await;
                Ok(())
            }
            result = failed(&mut self.feeding) => result,
            ended = self.working.join_next() => Err(ended_early(ended.and_then(Result::err))),
        }
    }

    /// Lets running reconciles finish, within the grace period of the controller.
    async fn finish(&mut self, work: &Work, ending: &Ending) {
        self.feeding.shutdown().await;
        work.queue.close();
        let workers = async { while self.working.join_next().await.is_some() {} };
        tokio::select! {
            biased;
            () = ending.abandon() => {}
            result = timeout(work.definition.settings.grace, workers) => {
                if result.is_err() {
                    let left = work.queue.status().in_flight;
                    tracing::warn!(controller = %work.runtime.controller(), left, "stopped before all reconciles had ended");
                }
            }
        }
    }
}

/// Resolves when a task fails. A task that ends successfully is ignored.
async fn failed(tasks: &mut JoinSet<Result<(), RunError>>) -> Result<(), RunError> {
    loop {
        match tasks.join_next().await {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(error))) => return Err(error),
            Some(Err(error)) => return Err(ended_early(Some(error))),
            None => std::future::pending().await,
        }
    }
}

fn ended_early(error: Option<JoinError>) -> RunError {
    error.map_or_else(|| "a part of the controller ended too early".into(), Into::into)
}

/// Calls the function for the begin of a run, and on drop the one for its end.
struct Notices {
    on_stop: Option<Notice>,
    runtime: Runtime,
}

impl Notices {
    fn begin(definition: &Definition, runtime: &Runtime) -> Result<Self, RunError> {
        if let Some(on_start) = &definition.settings.on_start {
            contained_now(|| on_start(runtime))?;
        }
        Ok(Self { on_stop: definition.settings.on_stop.clone(), runtime: runtime.clone() })
    }
}

impl Drop for Notices {
    fn drop(&mut self) {
        if let Some(on_stop) = &self.on_stop
            && let Err(panicked) = contained_now(|| on_stop(&self.runtime))
        {
            tracing::error!(stack = panicked.stack(), "the report of the end of a run {panicked}");
        }
    }
}
