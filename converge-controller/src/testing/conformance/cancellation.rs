//! Conformance tests of dropped calls.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::timeout;

use super::sample::{artist_of, is_conflict, next, put, query, said, saying, snapshot, version, watch};
use crate::resource::Resource;
use crate::storage::{Backend, Change, Consistency, Lease, Transaction, WatchEvent};
use crate::testing::StoreUnderTest;

/// The maximum number of polls before a call is dropped, more than any call needs.
const POLLS: usize = 40;
/// The timeout of the next candidate of a lease whose holder disappeared.
const PATIENCE: Duration = Duration::from_secs(30);

/// Polls a call at most this many times, then drops it; returns the result if it completed.
async fn dropped_after<T>(polls: usize, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let mut left = polls;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match call.as_mut().poll(cx) {
            Poll::Ready(given) => Poll::Ready(Some(given)),
            // After the last poll no wake-up follows.
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Returns both resources of a pair, read together.
async fn pair(store: &dyn Backend) -> Vec<Arc<Resource>> {
    store.list(&query("default", "default", "pair-"), Consistency::Strong).await.expect("a list")
}

fn puts(pair: &[Arc<Resource>], number: u64) -> Transaction {
    let change = |resource: &Arc<Resource>| Change::Put(Box::new(saying(resource, number)));
    Transaction { changes: pair.iter().map(change).collect(), ..Transaction::default() }
}

/// A transaction whose caller has gone happens completely or not at all, and does not block later ones.
pub async fn leaves_transactions_whole(store: StoreUnderTest) {
    let mut events = watch(&*store, &query("default", "default", "pair-")).await;
    assert!(snapshot(&mut events).await.is_empty());
    for name in ["pair-left", "pair-right"] {
        put(&*store, saying(&super::sample::resource(artist_of(name)), 0)).await;
    }
    let mut number = 1;
    for polls in 0..POLLS {
        let before = pair(&*store).await;
        let ended = dropped_after(polls, store.commit(puts(&before, number))).await;
        let resources = pair(&*store).await;
        assert_eq!(said(&resources[0]), said(&resources[1]), "after {polls} polls");
        number += 1;
        // The dropped transaction may still be in progress and commit first, which causes a conflict.
        loop {
            let result = store.commit(puts(&pair(&*store).await, number)).await;
            if !is_conflict(&result) {
                result.expect("the store goes on");
                break;
            }
        }
        number += 1;
        if ended.is_some_and(|ended| ended.is_ok()) && polls > 1 {
            break;
        }
    }
    // The watch reports each pair completely, and nothing twice.
    let last = pair(&*store).await;
    let mut events_seen = Vec::new();
    while !events_seen.ends_with(&last) {
        let WatchEvent::Upsert(resource) = next(&mut events).await else { panic!("nothing is deleted") };
        assert!(!events_seen.contains(&resource), "{resource:?} is told twice");
        events_seen.push(resource);
    }
    let (creations, pairs) = events_seen.split_at(2);
    assert!(creations.iter().all(|created| said(created) == 0));
    for pair in pairs.chunks(2) {
        assert_eq!((said(&pair[0]), &pair[0].version), (said(&pair[1]), &pair[1].version));
    }
}

/// Dropped reads, lists, deletions and watches leave nothing that blocks others.
pub async fn leaves_nothing_behind(store: StoreUnderTest) {
    let everything = query("default", "default", "");
    for polls in 0..POLLS {
        let stored = put(&*store, super::sample::resource(artist_of("korn"))).await;
        dropped_after(polls, store.read(&stored.id, Consistency::Strong)).await;
        dropped_after(polls, store.read(&stored.id, Consistency::Eventual)).await;
        dropped_after(polls, store.list(&everything, Consistency::Strong)).await;
        dropped_after(polls, store.list_by_owner(stored.id.uid.expect("a uid"))).await;
        dropped_after(polls, store.kinds()).await;
        let watched = dropped_after(polls, store.watch(&everything)).await;
        let ended = dropped_after(polls, store.delete(stored.id.clone(), version(&stored))).await;
        // Either the dropped deletion or this one deletes the resource.
        store.delete(stored.id.clone(), version(&stored)).await.expect("the store goes on");
        assert_eq!(store.find(&stored.id, Consistency::Strong).await.expect("a read"), None);
        if watched.is_some() && ended.is_some() && polls > 1 {
            break;
        }
    }
}

/// Dropping the wait for an event loses no event.
pub async fn loses_no_event(store: StoreUnderTest) {
    let mut events = watch(&*store, &query("default", "default", "")).await;
    assert!(snapshot(&mut events).await.is_empty());
    let mut stored = put(&*store, saying(&super::sample::resource(artist_of("korn")), 0)).await;
    for number in 1..20 {
        assert_eq!(next(&mut events).await, WatchEvent::Upsert(Arc::clone(&stored)));
        assert_eq!(dropped_after(1, events.next()).await, None);
        stored = put(&*store, saying(&stored, number)).await;
    }
}

/// A dropped candidate, holding the lease or not, does not keep the lease from the next one.
pub async fn gives_leases_to_the_next(store: StoreUnderTest) {
    let name = "bar".parse().expect("a name");
    let wait_for_fence = |lease: Lease| async move {
        let mut watch = lease.watch();
        let fence = watch.wait_for(Option::is_some).await.expect("its store is there").clone();
        (fence, lease)
    };
    for polls in 0..4 {
        drop(dropped_after(polls, wait_for_fence(store.door(0).lease(&name))).await);
        let next =
            timeout(PATIENCE, wait_for_fence(store.door(1).lease(&name))).await.expect("it is held in time");
        assert!(next.0.is_some());
    }
}
