//! Events, and their mapping to requests.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_core::Stream as Events;
use tracing::Instrument as _;

use crate::identity::Id;
use crate::resource::Resource;
use crate::runtime::backoff::Backoff;
use crate::runtime::context::Runtime;
use crate::runtime::panic::contained;
use crate::runtime::queue::{Queue, QueueStatus, Reason, Verdict};
use crate::runtime::supervisor::{RunError, chain};

/// A task of a run.
pub(crate) type Task = Pin<Box<dyn Future<Output = Result<(), RunError>> + Send>>;

/// A source of requests other than the managed resources: a queue of events to be mapped.
#[derive(Clone)]
pub(crate) struct Feed {
    /// The watched type, or the name of the stream.
    pub(crate) source: Arc<str>,
    status: Arc<dyn Fn() -> QueueStatus<String> + Send + Sync>,
}

impl Feed {
    pub(crate) fn status(&self) -> QueueStatus<String> {
        (self.status)()
    }
}

/// The context of a feed.
#[derive(Clone)]
pub(crate) struct FeedSetting {
    pub(crate) runtime: Runtime,
    /// The queue that receives the requests.
    pub(crate) requests: Queue<Id>,
    pub(crate) backoff: Backoff,
}

/// A source of events that are not resources. Each run opens it anew.
pub(crate) struct Stream {
    pub(crate) name: Arc<str>,
    pub(crate) open: Box<dyn Fn(FeedSetting) -> (Feed, [Task; 2]) + Send + Sync>,
}

/// Creates a source of events of one type.
pub(crate) fn stream<E, S, M>(
    name: Arc<str>,
    open: impl Fn() -> S + Send + Sync + 'static,
    map: impl Fn(Runtime, E) -> M + Clone + Send + Sync + 'static,
) -> Stream
where
    E: Clone + Eq + Hash + fmt::Debug + Send + Sync + 'static,
    S: Events<Item = E> + Send + 'static,
    M: Future<Output = Result<Vec<Id>, RunError>> + Send + 'static,
{
    let source = Arc::clone(&name);
    let open = move |setting: FeedSetting| {
        let queue = Queue::new(setting.backoff);
        let feed = feed(Arc::clone(&source), &queue, |event: E| format!("{event:?}"));
        let read = read(Box::pin(open()), queue.clone());
        let (runtime, map) = (setting.runtime.clone(), map.clone());
        let map = move |event| map(runtime.clone(), event);
        let describe = |event: &E| format!("{event:?}");
        let serve = serve(queue, setting.requests, Arc::clone(&source), describe, map);
        (feed, [Box::pin(read) as Task, Box::pin(serve) as Task])
    };
    Stream { name, open: Box::new(open) }
}

/// The changed resources of a type, in their last states, that wait to be mapped.
#[derive(Clone)]
pub(crate) struct Changes {
    queue: Queue<Id>,
    states: Arc<Mutex<HashMap<Id, Arc<Resource>>>>,
}

impl Changes {
    pub(crate) fn new(backoff: Backoff) -> Self {
        Self { queue: Queue::new(backoff), states: Arc::default() }
    }

    pub(crate) fn feed(&self, source: Arc<str>) -> Feed {
        feed(source, &self.queue, |id| id.to_string())
    }

    /// Adds a changed resource, or the last state of a deleted one.
    pub(crate) fn push(&self, resource: Arc<Resource>) {
        let id = resource.id.clone().without_uid();
        self.lock().insert(id.clone(), resource);
        self.queue.add(id, Reason::Changed);
    }

    /// Maps all changes, forever.
    pub(crate) async fn serve<M>(
        self,
        requests: Queue<Id>,
        source: Arc<str>,
        map: impl Fn(Arc<Resource>) -> M,
    ) -> Result<(), RunError>
    where
        M: Future<Output = Result<Vec<Id>, RunError>>,
    {
        let map = |id: Id| {
            let state = self.lock().get(&id).cloned();
            let mapped = state.clone().map(&map);
            let changes = self.clone();
            async move {
                let Some(mapped) = mapped else { return Ok(Vec::new()) };
                let requests = mapped.await?;
                changes.forget(&id, state.as_ref());
                Ok(requests)
            }
        };
        serve(self.queue.clone(), requests, source, Id::to_string, map).await
    }

    /// Removes a state that was mapped, unless a newer one has replaced it.
    fn forget(&self, id: &Id, mapped: Option<&Arc<Resource>>) {
        let mut states = self.lock();
        if states.get(id).zip(mapped).is_some_and(|(state, mapped)| Arc::ptr_eq(state, mapped)) {
            states.remove(id);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Id, Arc<Resource>>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn feed<K>(source: Arc<str>, queue: &Queue<K>, text: fn(K) -> String) -> Feed
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
{
    let queue = queue.clone();
    Feed { source, status: Arc::new(move || queue.status().with_texts(text)) }
}

/// Puts events into a queue until the stream ends.
async fn read<E: Clone + Eq + Hash>(
    mut events: Pin<Box<impl Events<Item = E>>>,
    queue: Queue<E>,
) -> Result<(), RunError> {
    while let Some(event) = std::future::poll_fn(|cx| events.as_mut().poll_next(cx)).await {
        queue.add(event, Reason::Changed);
    }
    Ok(())
}

/// Maps events one at a time.
///
/// After a failure the event is mapped again, and its partial results are discarded.
async fn serve<K, M>(
    queue: Queue<K>,
    requests: Queue<Id>,
    source: Arc<str>,
    shown: fn(&K) -> String,
    map: impl Fn(K) -> M,
) -> Result<(), RunError>
where
    K: Clone + Eq + Hash,
    M: Future<Output = Result<Vec<Id>, RunError>>,
{
    while let Some(turn) = queue.next().await {
        let key = turn.key().clone();
        let span = tracing::info_span!("map", %source, changed = shown(&key), failures = turn.failures());
        let mapped = contained(async { map(key).await }).instrument(span.clone()).await;
        let verdict = match mapped {
            Ok(Ok(mapped)) => {
                for id in mapped {
                    requests.add(id, Reason::Mapped(Arc::clone(&source)));
                }
                Verdict::Done { force_after: None }
            }
            Ok(Err(error)) => {
                let error = chain(&*error);
                span.in_scope(|| tracing::warn!(%error, "a change could not be mapped, and is mapped again"));
                Verdict::Failed(error)
            }
            Err(panicked) => {
                span.in_scope(|| tracing::error!(stack = panicked.stack(), "a mapper {panicked}"));
                Verdict::Failed(panicked.to_string())
            }
        };
        turn.end(verdict);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::runtime::demo::{Artist, resource, stored};

    #[tokio::test(start_paused = true)]
    async fn what_was_mapped_is_not_kept() {
        let changes = Changes::new(Backoff::default());
        let state = |version| Arc::new(stored(resource("korn", Artist::default()), 1, version));
        let (first, second) = (state(1), state(2));
        changes.push(Arc::clone(&first));
        let (changed_ids, requests) = (changes.clone(), Queue::new(Backoff::default()));
        let newer = Arc::clone(&second);
        // The next state arrives while the first one is being mapped.
        let map = move |changed: Arc<Resource>| {
            if changed.version == Some(1.into()) {
                changed_ids.push(Arc::clone(&newer));
            }
            async { Ok(Vec::new()) }
        };
        let serving = tokio::spawn(changes.clone().serve(requests, "artists".into(), map));
        tokio::time::sleep(Duration::from_millis(1)).await;
        assert!(changes.lock().is_empty());
        assert_eq!(Arc::strong_count(&first), 1);
        serving.abort();
    }
}
