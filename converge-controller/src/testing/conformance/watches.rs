//! Conformance tests of watches.

use std::sync::Arc;

use super::lists::{is_meant, seed};
use super::sample::{
    artist_of, next, put, query, refused, remove, resource, said, saying, snapshot, version, watch,
};
use crate::storage::{Change, Consistency, ReadError, Transaction, Watch, WatchClosed, WatchEvent};
use crate::testing::StoreUnderTest;

/// Watches some of the resources of [`lists`](super::lists), from before and from after their creation.
async fn check(store: StoreUnderTest, partition: &str, namespace: &str, prefix: &str) {
    let query = query(partition, namespace, prefix);
    let mut early = watch(&*store, &query).await;
    assert_eq!(snapshot(&mut early).await, []);
    let seed = seed(&*store).await;
    let expect: Vec<_> =
        seed.iter().filter(|resource| is_meant(resource, partition, namespace, prefix)).collect();
    assert!(!expect.is_empty());

    // The later watch reports the same resources, though in another order.
    let mut late = watch(&*store, &query).await;
    assert_eq!(snapshot(&mut late).await.iter().collect::<Vec<_>>(), expect);
    let mut actual = Vec::new();
    while actual.len() < expect.len() {
        match next(&mut early).await {
            WatchEvent::Upsert(resource) => actual.push(resource),
            other => panic!("only creations were to come, got {other:?}"),
        }
    }
    actual.sort_by_key(|resource| crate::storage::Key::from_id(&resource.id));
    assert_eq!(actual.iter().collect::<Vec<_>>(), expect);

    for stored in &seed {
        let changed = put(&*store, saying(stored, 1)).await;
        if expect.contains(&stored) {
            assert_eq!(next(&mut late).await, WatchEvent::Upsert(Arc::clone(&changed)));
            let read = store.read(&stored.id, Consistency::Eventual).await;
            assert_eq!(read.expect("an event told of it"), changed);
            assert_eq!(next(&mut early).await, WatchEvent::Upsert(Arc::clone(&changed)));
        }
        remove(&*store, &changed).await;
        if expect.contains(&stored) {
            assert_eq!(next(&mut late).await, WatchEvent::Delete(Arc::clone(&changed)));
            refused!(store.read(&stored.id, Consistency::Eventual).await, ReadError::NotFound { .. });
            assert_eq!(next(&mut early).await, WatchEvent::Delete(changed));
        }
    }
}

/// Watches one namespace.
pub async fn of_a_namespace(store: StoreUnderTest) {
    check(store, "default", "default", "").await;
}

/// Watches a namespace that is not the default.
pub async fn of_another_namespace(store: StoreUnderTest) {
    check(store, "eu", "other", "").await;
}

/// Watches the names with a prefix in a namespace.
pub async fn of_a_prefix(store: StoreUnderTest) {
    check(store, "default", "default", "kor").await;
}

/// Watches everything.
pub async fn of_everything(store: StoreUnderTest) {
    check(store, "*", "*", "").await;
}

/// Watches all namespaces of a partition.
pub async fn of_a_partition(store: StoreUnderTest) {
    check(store, "default", "*", "").await;
}

/// Watches all namespaces with one name.
pub async fn of_a_namespace_in_any_partition(store: StoreUnderTest) {
    check(store, "*", "default", "").await;
}

/// Watches the names with a prefix everywhere.
pub async fn of_a_prefix_anywhere(store: StoreUnderTest) {
    check(store, "*", "*", "korn-").await;
}

/// Watches resources of whole partitions.
pub async fn of_wider_scopes(store: StoreUnderTest) {
    check(store, "*", "", "").await;
}

/// The end of the snapshot is reported once, also if the snapshot is empty.
pub async fn tell_the_end_of_an_empty_snapshot(store: StoreUnderTest) {
    let mut events = watch(&*store, &query("default", "default", "")).await;
    assert_eq!(next(&mut events).await, WatchEvent::EndOfSnapshot);
    let stored = put(&*store, resource(artist_of("korn"))).await;
    assert_eq!(next(&mut events).await, WatchEvent::Upsert(stored));
}

/// Every state is reported, also if nobody reads meanwhile.
///
/// A recreated resource follows the deletion of the old one.
pub async fn tell_each_state_of_a_resource(store: StoreUnderTest) {
    let mut events = watch(&*store, &query("default", "default", "")).await;
    assert_eq!(snapshot(&mut events).await, []);
    let first = put(&*store, resource(artist_of("korn"))).await;
    let second = put(&*store, saying(&first, 2)).await;
    remove(&*store, &second).await;
    let third = put(&*store, resource(artist_of("korn"))).await;
    // A write without a difference is reported as well.
    let fourth = put(&*store, (*third).clone()).await;
    let expect = [
        WatchEvent::Upsert(first),
        WatchEvent::Upsert(Arc::clone(&second)),
        WatchEvent::Delete(second),
        WatchEvent::Upsert(third),
        WatchEvent::Upsert(fourth),
    ];
    for expect in expect {
        assert_eq!(next(&mut events).await, expect);
    }
}

/// The changes of a transaction are reported in order.
pub async fn tell_transactions_in_order(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("m"))).await;
    let mut events = watch(&*store, &query("default", "default", "")).await;
    assert_eq!(snapshot(&mut events).await, [Arc::clone(&stored)]);
    let put_of = |name| Change::Put(Box::new(resource(artist_of(name))));
    let removal = Change::Delete { id: stored.id.clone(), version: version(&stored) };
    let transaction = Transaction::from_change(put_of("z")).and(removal).and(put_of("a"));
    let resources = store.commit(transaction).await.expect("a transaction");
    assert_eq!(next(&mut events).await, WatchEvent::Upsert(Arc::clone(&resources[0])));
    assert_eq!(next(&mut events).await, WatchEvent::Delete(stored));
    assert_eq!(next(&mut events).await, WatchEvent::Upsert(Arc::clone(&resources[1])));
}

/// A watch that nobody reads is closed eventually, and reports no gap until then.
pub async fn are_closed_when_not_read(store: StoreUnderTest) {
    const AT_ONCE: usize = 50;
    let mut events = watch(&*store, &query("default", "default", "")).await;
    let mut stored: Vec<_> = (0..AT_ONCE).map(|number| resource(artist_of(&format!("a{number}")))).collect();
    let transactions = Watch::MOST_WAITING / AT_ONCE + 2;
    for number in 0..transactions {
        let changes = stored.iter().map(|resource| Change::Put(Box::new(saying(resource, number as u64))));
        let transaction = Transaction { changes: changes.collect(), ..Transaction::default() };
        let resources = store.commit(transaction).await.expect("a transaction");
        stored = resources.iter().map(|resource| (**resource).clone()).collect();
    }
    assert_eq!(snapshot(&mut events).await, []);
    let mut count = 0;
    while count < AT_ONCE * transactions {
        match events.next().await {
            Ok(WatchEvent::Upsert(resource)) => {
                let expect = (format!("a{}", count % AT_ONCE), (count / AT_ONCE) as u64);
                assert_eq!((resource.id.name.to_string(), said(&resource)), expect);
                count += 1;
            }
            Ok(event) => panic!("{event:?} did not happen"),
            Err(reason) => {
                assert_eq!(reason, WatchClosed::TooSlow);
                // The watch stays closed.
                assert!(events.next().await.is_err());
                break;
            }
        }
    }
    // A store over a network may have held back unread events, and then reports them all.
    let resources = snapshot(&mut watch(&*store, &query("default", "default", "")).await).await;
    assert_eq!(resources.len(), AT_ONCE);
    assert!(resources.iter().all(|resource| said(resource) == transactions as u64 - 1));
}

/// A dropped watch does not affect others.
pub async fn go_on_when_another_is_dropped(store: StoreUnderTest) {
    let query = query("default", "default", "");
    let (first, mut second) = (watch(&*store, &query).await, watch(&*store, &query).await);
    drop(first);
    assert_eq!(snapshot(&mut second).await, []);
    let stored = put(&*store, resource(artist_of("korn"))).await;
    assert_eq!(next(&mut second).await, WatchEvent::Upsert(stored));
}
