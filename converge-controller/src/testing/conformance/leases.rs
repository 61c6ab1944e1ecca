//! Conformance tests of leases.

use std::time::Duration;

use tokio::time::timeout;

use super::sample::{artist_of, refused, resource};
use crate::storage::{
    Backend, Change, CommitError, Consistency, Fence, Lease, LeaseName, ReadError, Transaction,
};
use crate::testing::StoreUnderTest;

/// The timeout of a candidate: a lease whose holder cannot release it moves on only after it expires.
const PATIENCE: Duration = Duration::from_secs(30);

fn named(name: &str) -> LeaseName {
    name.parse().expect("a name")
}

/// Waits until the lease is held.
async fn held(lease: &Lease) -> Fence {
    let mut watch = lease.watch();
    let fence = timeout(PATIENCE, watch.wait_for(Option::is_some)).await.expect("it is held in time");
    fence.expect("its store is there").clone().expect("it is held")
}

/// Creates a resource under a fence.
async fn create(store: &dyn Backend, name: &str, fence: &Fence) -> Result<(), CommitError> {
    let change = Change::Put(Box::new(resource(artist_of(name))));
    store.commit(Transaction::from_change(change).fenced_by(Some(fence.clone()))).await.map(drop)
}

/// Only one candidate holds a lease; when it resigns, the next one holds it with a higher token.
pub async fn have_one_holder(store: StoreUnderTest) {
    let name = named("bar");
    let first = store.door(0).lease(&name);
    let before = held(&first).await;
    assert_eq!(before.lease, name);
    create(&**store.door(0), "one", &before).await.expect("it is held");
    let second = store.door(1).lease(&name);
    create(&**store.door(0), "two", &before).await.expect("it is held still");
    assert_eq!((second.held(), first.held()), (None, Some(before.clone())));
    drop(first);
    let after = held(&second).await;
    assert!(after.token > before.token, "{after:?} comes after {before:?}");
    create(&**store.door(1), "three", &after).await.expect("it is held by the next");
}

/// Each lease has its own holder.
pub async fn of_other_names_are_others(store: StoreUnderTest) {
    let (first, second) = (store.lease(&named("one")), store.lease(&named("other")));
    let (one_held, other_held) = (held(&first).await, held(&second).await);
    create(&*store, "one", &one_held).await.expect("it is held");
    create(&*store, "other", &other_held).await.expect("it is held");
    drop(first);
    create(&*store, "more", &other_held).await.expect("it is held still");
}

/// A former holder that does not know that it lost the lease changes nothing.
pub async fn fence_what_is_done_after_their_end(store: StoreUnderTest) {
    let name = named("bar");
    let first = store.door(0).lease(&name);
    let yesterday = held(&first).await;
    let second = store.door(1).lease(&name);
    drop(first);
    let today = held(&second).await;
    refused!(create(&**store.door(0), "late", &yesterday).await, CommitError::Fenced { .. });
    refused!(store.read(&artist_of("late"), Consistency::Strong).await, ReadError::NotFound { .. });
    create(&**store.door(0), "in-time", &today).await.expect("the holding counts, not the way");

    // A holding that never existed does not count as held.
    let invented = Fence { lease: named("never-held"), token: 1 };
    refused!(create(&*store, "late", &invented).await, CommitError::Fenced { .. });
}

/// A candidate that gets the lease again has a new holding.
pub async fn fence_each_holding_by_itself(store: StoreUnderTest) {
    let name = named("bar");
    let first = store.lease(&name);
    let before = held(&first).await;
    drop(first);
    let second = store.lease(&name);
    let after = held(&second).await;
    assert!(after.token > before.token, "{after:?} comes after {before:?}");
    refused!(create(&*store, "late", &before).await, CommitError::Fenced { .. });
    create(&*store, "in-time", &after).await.expect("it is held");
}
