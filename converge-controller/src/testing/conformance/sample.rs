//! Sample resources, and helpers of many cases.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};

use crate::identity::{Id, Tenancy, TenancyPattern, Type, Uid};
use crate::resource::{Data, Resource, Version};
use crate::storage::{Backend, CommitError, Consistency, Query, Watch, WatchEvent};

/// The timeout of eventual results.
const PATIENCE: Duration = Duration::from_mins(1);

/// Asserts that a result is an error of a kind.
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

/// Returns a type whose kind begins with that of another type.
pub(super) fn artist_album() -> Type {
    "demo.v1.ArtistAlbum".parse().expect("a type")
}

/// Creates an identity; an empty unit is absent.
pub(super) fn id(resource_type: Type, partition: &str, namespace: &str, name: &str) -> Id {
    let tenancy = Tenancy::from_units(partition, namespace).expect("a tenancy");
    Id::new(resource_type, tenancy, name.parse().expect("a name"))
}

/// Returns the identity of an artist in the default tenancy.
pub(super) fn artist_of(name: &str) -> Id {
    id(artist(), "default", "default", name)
}

/// Returns a unique uid.
pub(super) fn new_uid() -> Uid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Uid::from_bits(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// Returns a resource with a unique uid.
pub(super) fn resource(id: Id) -> Resource {
    Resource::new(id.with_uid(new_uid()))
}

/// Returns the resource with this number as data.
pub(super) fn saying(resource: &Resource, number: u64) -> Resource {
    let data = Data::new(&resource.id.resource_type, number.to_be_bytes().to_vec());
    Resource { data: Some(data), ..resource.clone() }
}

/// Returns the number that [`saying`] stored.
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

/// Returns whether a write failed because of a conflict with another one.
pub(super) fn is_conflict<T>(result: &Result<T, CommitError>) -> bool {
    matches!(result, Err(CommitError::Conflict { .. }))
}

/// Repeats a call until it succeeds, as eventual results take time.
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

/// Creates the query of artists in some units with a prefix.
pub(super) fn query(partition: &str, namespace: &str, prefix: &str) -> Query {
    let tenancy = TenancyPattern::from_units(partition, namespace).expect("a pattern");
    Query::new(&artist(), tenancy).with_prefix(prefix)
}

pub(super) async fn watch(store: &dyn Backend, query: &Query) -> Watch {
    store.watch(query).await.expect("a watch")
}

/// Returns the next event, which must come in time.
pub(super) async fn next(watch: &mut Watch) -> WatchEvent {
    let event = timeout(PATIENCE, watch.next()).await.expect("an event");
    event.unwrap_or_else(|reason| panic!("an event was to come: {reason}"))
}

/// Reads the snapshot of a watch up to its end.
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

/// Checks a list: strongly at once, and eventually in the end.
pub(super) async fn lists(store: &dyn Backend, query: &Query, expect: &[Arc<Resource>]) {
    assert_eq!(store.list(query, Consistency::Strong).await.expect("a list"), expect);
    eventually(async || {
        let listed = store.list(query, Consistency::Eventual).await.expect("a list");
        if listed == expect { Ok(()) } else { Err(format!("{listed:?}")) }
    })
    .await;
}
