//! Conformance tests of writes.

use std::collections::BTreeMap;
use std::time::Duration;

use super::sample::{artist_of, new_uid, put, refused, remove, resource, saying, version};
use crate::identity::{Generation, Id, Reference};
use crate::resource::{Condition, ConditionState, Data, Metadata, Resource, Status};
use crate::storage::{CommitError, Consistency, ReadError};
use crate::testing::StoreUnderTest;

/// Every field except for the version is returned as it was written.
pub async fn give_back_all_of_a_resource(store: StoreUnderTest) {
    let notes = [
        ("team", "web\nand \u{1f980}"),
        ("", ""),
        (Metadata::FINALIZERS, "example.org/b example.org/a"),
        (Metadata::DELETION_TIMESTAMP, "2026-01-31T12:00:00.123456789Z"),
    ];
    let notes = notes.map(|(key, note)| (key.to_owned(), note.to_owned()));
    let time = jiff::Timestamp::UNIX_EPOCH + Duration::new(1_700_000_000, 987_654_321);
    let reference = Reference { section: "strings".to_owned(), ..Reference::from(artist_of("slash")) };
    let conditions = [
        Condition::new("accepted", ConditionState::True),
        Condition::new("known", ConditionState::False).reason("no_such").message("who?").resource(reference),
        Condition::new("loud", ConditionState::Unknown),
    ];
    let status =
        Status { updated_at: Some(time), ..Status::new(Generation::from_bits(u128::MAX), conditions) };
    let id = artist_of("korn");
    let full = Resource {
        owner: Some(artist_of("label").with_uid(new_uid())),
        generation: Some(Generation::from_bits(12)),
        metadata: Metadata::try_from(BTreeMap::from(notes)).expect("metadata"),
        status: BTreeMap::from([
            ("artists".parse().expect("a key"), status),
            ("empty/one".parse().expect("a key"), Status::new(Generation::from_bits(0), [])),
        ]),
        data: Some(Data::new(&id.resource_type, vec![0, 255, 1, 254])),
        ..resource(id)
    };
    for resource in [full, resource(artist_of("bare"))] {
        let stored = put(&*store, resource.clone()).await;
        assert_eq!(*stored, Resource { version: stored.version.clone(), ..resource });
        assert!(stored.version.is_some(), "what is stored has a version");
        assert_eq!(store.read(&stored.id, Consistency::Strong).await.expect("it was written"), stored);
    }
}

/// A put names the version that it replaces, or none to create.
pub async fn replace_the_version_that_they_name(store: StoreUnderTest) {
    let new = resource(artist_of("korn"));
    let with_version = Resource { version: Some("1".parse().expect("a version")), ..new.clone() };
    refused!(store.write(with_version).await, CommitError::Conflict { .. });
    refused!(store.read(&new.id, Consistency::Strong).await, ReadError::NotFound { .. });

    let first = put(&*store, new.clone()).await;
    let second = put(&*store, saying(&first, 2)).await;
    assert_ne!(first.version, second.version);

    refused!(store.write(saying(&new, 3)).await, CommitError::Conflict { .. });
    refused!(store.write(saying(&first, 3)).await, CommitError::Conflict { .. });
    let stranger =
        Resource { version: Some("no version of anybody".parse().expect("a version")), ..(*second).clone() };
    refused!(store.write(stranger).await, CommitError::Conflict { .. });
    assert_eq!(store.read(&new.id, Consistency::Strong).await.expect("it was written"), second);

    // A write without a difference is a change too.
    let third = put(&*store, (*second).clone()).await;
    assert_ne!(third.version, second.version);

    // A version of another resource does not match.
    let other = put(&*store, resource(artist_of("other"))).await;
    let confused = Resource { version: other.version.clone(), ..(*third).clone() };
    refused!(store.write(confused).await, CommitError::Conflict { .. });
}

/// The uid of a resource never changes; the next resource with the name has another one.
pub async fn keep_the_uid(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("korn"))).await;
    let with_uid = |uid| Resource { id: Id { uid, ..stored.id.clone() }, ..(*stored).clone() };
    refused!(store.write(with_uid(Some(new_uid()))).await, CommitError::WrongUid { .. });
    refused!(store.write(with_uid(None)).await, CommitError::Invalid(_));
    // The creation of an existing resource is a conflict, whatever its uid.
    refused!(store.write(resource(artist_of("korn"))).await, CommitError::Conflict { .. });
    remove(&*store, &stored).await;
    let next = put(&*store, resource(artist_of("korn"))).await;
    assert_ne!((&next.id.uid, &next.version), (&stored.id.uid, &stored.version));

    // A writer that still has the earlier resource changes nothing.
    refused!(store.write(saying(&stored, 1)).await, CommitError::WrongUid { .. });
    store.delete(stored.id.clone(), version(&stored)).await.expect("another uid is no error");
    assert_eq!(store.read(&artist_of("korn"), Consistency::Strong).await.expect("it is there"), next);
}

/// A delete names the version that it removes.
pub async fn remove_the_version_that_they_name(store: StoreUnderTest) {
    let first = put(&*store, resource(artist_of("korn"))).await;
    let second = put(&*store, saying(&first, 2)).await;
    refused!(store.delete(first.id.clone(), version(&first)).await, CommitError::Conflict { .. });
    let stranger = "no version of anybody".parse().expect("a version");
    refused!(store.delete(first.id.clone(), stranger).await, CommitError::Conflict { .. });
    assert_eq!(store.read(&first.id, Consistency::Strong).await.expect("it is there"), second);
    remove(&*store, &second).await;
    refused!(store.read(&first.id, Consistency::Strong).await, ReadError::NotFound { .. });
    // The resource does not exist any more, which is the desired result.
    remove(&*store, &second).await;
}

/// A delete of another uid, or of a resource that never existed, is no error and changes nothing.
pub async fn remove_nothing_of_another_uid(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("korn"))).await;
    let other_id = artist_of("korn").with_uid(new_uid());
    store.delete(other_id, version(&stored)).await.expect("another uid is no error");
    store
        .delete(artist_of("none").with_uid(new_uid()), version(&stored))
        .await
        .expect("nor is nothing at all");
    assert_eq!(store.read(&stored.id, Consistency::Strong).await.expect("it is there"), stored);
}

/// All versions of a type share one stored form, so one replaces the other.
pub async fn change_the_version_of_the_group(store: StoreUnderTest) {
    let first = put(&*store, resource(artist_of("korn"))).await;
    let newer: crate::Type = "demo.v2.Artist".parse().expect("a type");
    let new_id = Id { resource_type: newer, ..first.id.clone() };
    // The name is the same, so the resource cannot be created again as another version.
    refused!(store.write(resource(new_id.clone().without_uid())).await, CommitError::Conflict { .. });
    let second = put(&*store, Resource { id: new_id.clone(), ..(*first).clone() }).await;
    assert_eq!(store.read(&new_id, Consistency::Strong).await.expect("it is there"), second);
    refused!(store.read(&first.id, Consistency::Strong).await, ReadError::GroupVersionMismatch { .. });
    remove(&*store, &second).await;
    refused!(store.read(&new_id, Consistency::Strong).await, ReadError::NotFound { .. });
}
