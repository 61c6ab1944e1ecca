//! The distribution of changes to watches in this process.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::identity::{Group, Id, Kind};
use crate::resource::Resource;

use super::query::Query;
use super::watch::{Watch, WatchClosed, WatchEvent};

/// The watches of a store in this process.
///
/// The store publishes each change with its revision, in the order of commits.
///
/// A watch begins in two steps: it [subscribes](Hub::subscribe), then the store takes a snapshot and the
/// watch continues [from its revision](Subscription::after). Commits between the two steps that the snapshot
/// contains are not reported again.
#[derive(Default)]
pub(super) struct Hub {
    watchers: HashMap<(Group, Kind), Vec<Watcher>>,
}

struct Watcher {
    query: Query,
    events: mpsc::Sender<(u64, WatchEvent)>,
    closed: Arc<OnceLock<WatchClosed>>,
}

/// A watch without a snapshot yet.
pub(super) struct Subscription {
    /// The changes with their revisions.
    pub(super) live: mpsc::Receiver<(u64, WatchEvent)>,
    /// The reason for the end of the watch, set before the channel is closed.
    pub(super) closed: Arc<OnceLock<WatchClosed>>,
}

impl Subscription {
    /// Completes the watch with a snapshot that was taken after the subscription.
    pub(super) fn after(self, snapshot: Vec<Arc<Resource>>, revision: u64) -> Watch {
        let snapshot = Some(snapshot.into_iter());
        Watch::new(Events { snapshot, revision, live: self.live, closed: self.closed })
    }
}

impl Hub {
    /// Begins a watch.
    pub(super) fn subscribe(&mut self, query: &Query) -> Subscription {
        let (events, live) = mpsc::channel(Watch::MOST_WAITING);
        let close_reason = Arc::new(OnceLock::new());
        let watcher = Watcher { query: query.clone(), events, closed: Arc::clone(&close_reason) };
        self.watchers.entry((query.group.clone(), query.kind.clone())).or_default().push(watcher);
        Subscription { live, closed: close_reason }
    }

    /// Sends a change of a revision to the watches that match the resource.
    pub(super) fn publish(&mut self, revision: u64, id: &Id, event: &WatchEvent) {
        if self.watchers.is_empty() {
            return;
        }
        let kind = (id.resource_type.group.clone(), id.resource_type.kind.clone());
        let Some(watchers) = self.watchers.get_mut(&kind) else { return };
        watchers.retain(|watcher| {
            if !watcher.query.matches(id) {
                return !watcher.events.is_closed();
            }
            match watcher.events.try_send((revision, event.clone())) {
                Ok(()) => true,
                Err(mpsc::error::TrySendError::Closed(_)) => false,
                Err(mpsc::error::TrySendError::Full(_)) => {
                    // Dropping an event would be worse: the watcher would never know.
                    let _ = watcher.closed.set(WatchClosed::TooSlow);
                    false
                }
            }
        });
        if watchers.is_empty() {
            self.watchers.remove(&kind);
        }
    }

    /// Ends all watches.
    pub(super) fn close(&mut self, reason: WatchClosed) {
        for watcher in self.watchers.drain().flat_map(|(_, watchers)| watchers) {
            let _ = watcher.closed.set(reason);
        }
    }
}

/// The events of one watch.
struct Events {
    snapshot: Option<std::vec::IntoIter<Arc<Resource>>>,
    /// The revision of the snapshot.
    revision: u64,
    live: mpsc::Receiver<(u64, WatchEvent)>,
    closed: Arc<OnceLock<WatchClosed>>,
}

impl Stream for Events {
    type Item = Result<WatchEvent, WatchClosed>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(snapshot) = &mut self.snapshot {
            if let Some(resource) = snapshot.next() {
                return Poll::Ready(Some(Ok(WatchEvent::Upsert(resource))));
            }
            self.snapshot = None;
            return Poll::Ready(Some(Ok(WatchEvent::EndOfSnapshot)));
        }
        let mut next = ready!(self.live.poll_recv(cx));
        while next.as_ref().is_some_and(|(revision, _)| *revision <= self.revision) {
            next = ready!(self.live.poll_recv(cx));
        }
        match next {
            Some((_, event)) => Poll::Ready(Some(Ok(event))),
            None => Poll::Ready(Some(Err(self.closed.get().copied().unwrap_or(WatchClosed::Disconnected)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::Scope;

    #[tokio::test]
    async fn who_does_not_read_is_closed_and_nobody_else() {
        let tenancy = Scope::Namespace.default_tenancy();
        let id = Id::new("demo.v2.Artist".parse().unwrap(), tenancy.clone(), "korn".parse().unwrap());
        let query = Query::new(&id.resource_type, tenancy.into());
        let event = WatchEvent::Upsert(Arc::new(Resource::new(id.clone())));
        let mut hub = Hub::default();
        let [mut slow, mut other] = [(); 2].map(|()| hub.subscribe(&query).after(Vec::new(), 0));
        assert_eq!(other.next().await, Ok(WatchEvent::EndOfSnapshot));
        for _ in 0..=Watch::MOST_WAITING {
            hub.publish(1, &id, &event);
            assert_eq!(other.next().await, Ok(event.clone()));
        }
        assert_eq!(slow.next().await, Ok(WatchEvent::EndOfSnapshot));
        for _ in 0..Watch::MOST_WAITING {
            assert_eq!(slow.next().await, Ok(event.clone()));
        }
        assert_eq!(slow.next().await, Err(WatchClosed::TooSlow));
        hub.publish(1, &id, &event);
        assert_eq!(other.next().await, Ok(event));
    }
    #[tokio::test]
    async fn what_the_snapshot_has_is_not_told_again() {
        let tenancy = Scope::Namespace.default_tenancy();
        let id = Id::new("demo.v2.Artist".parse().unwrap(), tenancy.clone(), "korn".parse().unwrap());
        let event = |version: &str| {
            let version = Some(version.parse().unwrap());
            WatchEvent::Upsert(Arc::new(Resource { version, ..Resource::new(id.clone()) }))
        };
        let mut hub = Hub::default();
        let subscription = hub.subscribe(&Query::new(&id.resource_type, tenancy.into()));
        for (revision, version) in [(4, "4"), (5, "5"), (6, "6"), (7, "7")] {
            hub.publish(revision, &id, &event(version));
        }
        let mut watch = subscription.after(Vec::new(), 5);
        let events = [watch.next().await, watch.next().await, watch.next().await];
        assert_eq!(events, [Ok(WatchEvent::EndOfSnapshot), Ok(event("6")), Ok(event("7"))]);
    }
}
