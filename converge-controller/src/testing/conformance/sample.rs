//! Resources to test with, and what is asked of a store in many cases.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::identity::{Id, Tenancy, TenancyPattern, Type, Uid};
use crate::resource::{Data, Resource, Version};
use crate::storage::{Backend, CommitError, Consistency, Query, Watch, WatchEvent};

/// How long something may take that a store does in its own time.
const PATIENCE: Duration = Duration::from_mins(1);

/// Checks that a result is an error of a kind.
macro_rules! refused {
    ($result:expr, $pattern:pat) => {{
        let result = $result;
        assert!(matches!(&result, Err($pattern)), "expected {}, got {result:?}", stringify!($pattern));
    }};
}
pub(super) use refused;

pub(super) fn artist() -> Type {
    "demo.v1.Artist".parse().expect("a type")
}

/// Its kind begins with that of another.
pub(super) fn artist_album() -> Type {
    "demo.v1.ArtistAlbum".parse().expect("a type")
}

/// An identity; an empty unit is absent.
pub(super) fn id(resource_type: Type, partition: &str, namespace: &str, name: &str) -> Id {
    let tenancy = Tenancy::from_units(partition, namespace).expect("a tenancy");
    Id::new(resource_type, tenancy, name.parse().expect("a name"))
}

/// The identity of an artist in the default tenancy.
pub(super) fn artist_of(name: &str) -> Id {
    id(artist(), "default", "default", name)
}

/// A uid that was not used before.
pub(super) fn new_uid() -> Uid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uid::from_bits(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A resource with a uid of its own.
pub(super) fn resource(id: Id) -> Resource {
    Resource::new(id.with_uid(new_uid()))
}

/// The same resource with other data.
pub(super) fn saying(resource: &Resource, number: u64) -> Resource {
    let data = Data::new(&resource.id.resource_type, number.to_be_bytes().to_vec());
    Resource { data: Some(data), ..resource.clone() }
}

/// What [`saying`] made a resource say.
pub(super) fn said(resource: &Resource) -> u64 {
    let value = resource.data.as_ref().and_then(|data| data.value[..].try_into().ok());
    value.map(u64::from_be_bytes).expect("a resource that says a number")
}

pub(super) async fn put(store: &dyn Backend, resource: Resource) -> Arc<Resource> {
    let id = resource.id.clone();
    store.write(resource).await.unwrap_or_else(|error| panic!("{id} is not written: {error}"))
}

pub(super) async fn remove(store: &dyn Backend, stored: &Resource) {
    let removed = store.delete(stored.id.clone(), version(stored)).await;
    removed.unwrap_or_else(|error| panic!("{} is not removed: {error}", stored.id));
}

pub(super) fn version(stored: &Resource) -> Version {
    stored.version.clone().expect("what is stored has a version")
}

/// Writes until it is not refused for what another does at the same time.
pub(super) fn is_conflict<T>(result: &Result<T, CommitError>) -> bool {
    matches!(result, Err(CommitError::Conflict { .. }))
}

/// Asks until the answer is as it should be. What is read eventually may take its time.
pub(super) async fn eventually<T, F: Future<Output = Result<T, String>>>(mut ask: impl FnMut() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(answer) if Instant::now() > deadline => panic!("after {PATIENCE:?} still {answer}"),
            Err(_) => sleep(Duration::from_millis(5)).await,
        }
    }
}

/// The query of some units and a prefix, of artists.
pub(super) fn query(partition: &str, namespace: &str, prefix: &str) -> Query {
    let tenancy = TenancyPattern::from_units(partition, namespace).expect("a pattern");
    Query::new(&artist(), tenancy).with_prefix(prefix)
}

pub(super) async fn watch(store: &dyn Backend, query: &Query) -> Watch {
    store.watch(query).await.expect("a watch")
}

/// The next event, which has to come.
pub(super) async fn next(watch: &mut Watch) -> WatchEvent {
    let event = timeout(PATIENCE, watch.next()).await.expect("an event");
    event.unwrap_or_else(|closed| panic!("an event was to come: {closed}"))
}

/// What a watch begins with, up to its end.
pub(super) async fn snapshot(watch: &mut Watch) -> Vec<Arc<Resource>> {
    let mut resources = Vec::new();
    loop {
        match next(watch).await {
            WatchEvent::Upsert(resource) => resources.push(resource),
            WatchEvent::EndOfSnapshot => return resources,
            WatchEvent::Delete(resource) => panic!("{} is deleted in a snapshot", resource.id),
        }
    }
}

/// Checks what is listed, strongly at once and eventually in the end.
pub(super) async fn lists(store: &dyn Backend, query: &Query, expect: &[Arc<Resource>]) {
    assert_eq!(store.list(query, Consistency::Strong).await.expect("a list"), expect);
    eventually(async || {
        let listed = store.list(query, Consistency::Eventual).await.expect("a list");
        if listed == expect { Ok(()) } else { Err(format!("{listed:?}")) }
    })
    .await;
}
