//! Conformance tests of reads.

use std::sync::Arc;

use super::sample::{
    artist_album, artist_of, eventually, id, new_uid, put, query, refused, remove, resource, said, saying,
    snapshot, watch,
};
use crate::Id;
use crate::resource::Resource;
use crate::storage::{Backend, Consistency, ReadError, WatchEvent};
use crate::testing::StoreUnderTest;

/// Asserts that a strong read finds the resource at once, and an eventual one eventually.
async fn finds(store: &dyn Backend, id: &Id, expect: &Arc<Resource>) {
    let strong = store.read(id, Consistency::Strong).await;
    assert_eq!(&strong.expect("it was written"), expect);
    let read = async || match store.read(id, Consistency::Eventual).await {
        Ok(resource) => Ok(resource),
        Err(error) => Err(error.to_string()),
    };
    assert_eq!(&eventually(read).await, expect);
}

/// A written resource is read.
pub async fn finds_what_was_written(store: StoreUnderTest) {
    let stored = put(&*store, saying(&resource(artist_of("korn")), 7)).await;
    finds(&*store, &stored.id, &stored).await;
}

/// A read without uid finds the resource that has the name.
pub async fn finds_without_uid_whichever_has_the_name(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("korn"))).await;
    finds(&*store, &artist_of("korn"), &stored).await;
}

/// A read of another name, namespace, partition or kind does not find the resource.
pub async fn finds_nothing_of_another_id(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("korn"))).await;
    finds(&*store, &stored.id, &stored).await;
    let artist = stored.id.resource_type.clone();
    let others = [
        artist_of("kor"),
        artist_of("korn2"),
        id(artist.clone(), "default", "other", "korn"),
        id(artist.clone(), "other", "default", "korn"),
        id(artist.clone(), "default", "", "korn"),
        id(artist, "", "", "korn"),
        id(artist_album(), "default", "default", "korn"),
    ];
    for other_id in others {
        for consistency in [Consistency::Strong, Consistency::Eventual] {
            refused!(store.read(&other_id, consistency).await, ReadError::NotFound { .. });
        }
    }
}

/// A read with another uid does not find the resource.
pub async fn finds_nothing_of_another_uid(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("korn"))).await;
    finds(&*store, &stored.id, &stored).await;
    let other_id = artist_of("korn").with_uid(new_uid());
    for consistency in [Consistency::Strong, Consistency::Eventual] {
        refused!(store.read(&other_id, consistency).await, ReadError::NotFound { .. });
    }
}

/// A resource that is stored as another version of its type is returned in the error.
pub async fn names_the_version_of_the_group_that_is_stored(store: StoreUnderTest) {
    let expect = put(&*store, resource(artist_of("korn"))).await;
    finds(&*store, &expect.id, &expect).await;
    let newer: crate::Type = "demo.v2.Artist".parse().expect("a type");
    for uid in [None, expect.id.uid] {
        let id = Id { resource_type: newer.clone(), uid, ..expect.id.clone() };
        for consistency in [Consistency::Strong, Consistency::Eventual] {
            match store.read(&id, consistency).await {
                Err(ReadError::GroupVersionMismatch { requested, stored }) => {
                    assert_eq!((requested, stored), (newer.clone(), Arc::clone(&expect)));
                }
                other => panic!("expected GroupVersionMismatch, got {other:?}"),
            }
        }
    }
}

/// A watcher that received an event reads nothing older.
pub async fn does_not_go_back_behind_an_event(store: StoreUnderTest) {
    const CHANGES: u64 = 300;
    let mut events = watch(&*store, &query("default", "default", "")).await;
    assert_eq!(snapshot(&mut events).await, []);
    let writer = Arc::clone(store.door(0));
    let writing = tokio::spawn(async move {
        let mut stored = put(&*writer, saying(&resource(artist_of("korn")), 0)).await;
        for number in 1..CHANGES {
            stored = put(&*writer, saying(&stored, number)).await;
        }
        remove(&*writer, &stored).await;
    });
    let mut latest = 0;
    loop {
        let read = match super::sample::next(&mut events).await {
            WatchEvent::Upsert(resource) => {
                latest = said(&resource);
                store.read(&resource.id, Consistency::Eventual).await
            }
            WatchEvent::Delete(resource) => {
                refused!(store.read(&resource.id, Consistency::Eventual).await, ReadError::NotFound { .. });
                break;
            }
            WatchEvent::EndOfSnapshot => panic!("a snapshot ends once"),
        };
        match read {
            Ok(read) => assert!(said(&read) >= latest, "an event told {latest}, read {}", said(&read)),
            // The resource was deleted in the meantime.
            Err(ReadError::NotFound { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(latest, CHANGES - 1);
    writing.await.expect("a writer");
}
