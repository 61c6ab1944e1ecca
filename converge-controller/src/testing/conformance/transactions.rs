//! Conformance tests of transactions and requirements.

use std::slice;

use super::sample::{
    artist_of, lists, new_uid, put, query, refused, remove, resource, saying, version, watch,
};
use crate::resource::Resource;
use crate::storage::{
    Change, CommitError, Consistency, InvalidTransaction, ReadError, RequirementState, Transaction,
    WatchEvent,
};
use crate::testing::StoreUnderTest;

fn put_of(resource: Resource) -> Change {
    Change::Put(Box::new(resource))
}

/// One impossible change prevents all changes of the transaction, whatever its position.
pub async fn happen_whole_or_not_at_all(store: StoreUnderTest) {
    let query = query("default", "default", "");
    let stored = put(&*store, resource(artist_of("stored"))).await;
    let newer = put(&*store, saying(&stored, 1)).await;
    let mut events = watch(&*store, &query).await;
    assert_eq!(super::sample::snapshot(&mut events).await, slice::from_ref(&newer));

    let valid = || put_of(resource(artist_of("fine")));
    let stale = || put_of(saying(&stored, 2));
    let stale_delete = || Change::Delete { id: stored.id.clone(), version: version(&stored) };
    let missing = || Change::Delete { id: artist_of("gone").with_uid(new_uid()), version: version(&stored) };
    let removal = || Change::Delete { id: newer.id.clone(), version: version(&newer) };
    let wrongs: [&(dyn Fn() -> Change + Sync); 2] = [&stale, &stale_delete];
    for invalid in wrongs {
        refused!(
            store.commit(Transaction::from_change(valid()).and(invalid())).await,
            CommitError::Conflict { .. }
        );
        refused!(
            store.commit(Transaction::from_change(invalid()).and(valid())).await,
            CommitError::Conflict { .. }
        );
    }
    refused!(
        store.commit(Transaction::from_change(removal()).and(missing())).await,
        CommitError::Gone { .. }
    );
    refused!(store.commit(Transaction::from_change(missing()).and(valid())).await, CommitError::Gone { .. });
    lists(&*store, &query, slice::from_ref(&newer)).await;

    // No watch reported a change that was not made.
    let last = put(&*store, resource(artist_of("last"))).await;
    assert_eq!(super::sample::next(&mut events).await, WatchEvent::Upsert(last));
}

/// One transaction puts and deletes resources, and returns the stored ones in the order of the changes.
pub async fn put_and_remove_at_once(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("stored"))).await;
    let (first, two) = (resource(artist_of("z-one")), resource(artist_of("a-two")));
    let transaction = Transaction::from_change(put_of(first.clone()))
        .and(Change::Delete { id: stored.id.clone(), version: version(&stored) })
        .and(put_of(two.clone()));
    let resources = store.commit(transaction).await.expect("a transaction");
    assert_eq!(resources.iter().map(|resource| &resource.id).collect::<Vec<_>>(), [&first.id, &two.id]);
    let in_order = [&resources[1], &resources[0]].map(std::sync::Arc::clone);
    lists(&*store, &query("default", "default", ""), &in_order).await;
    // Each of them can be changed separately afterwards.
    for stored in &resources {
        super::sample::put(&*store, saying(stored, 1)).await;
    }
}

/// A transaction without changes only checks its requirements.
pub async fn do_nothing_when_empty(store: StoreUnderTest) {
    assert_eq!(store.commit(Transaction::default()).await.expect("nothing to do"), []);
    let nobody = Transaction::default().require(artist_of("nobody"), RequirementState::Present);
    refused!(store.commit(nobody).await, CommitError::Requirement { .. });
}

/// A transaction cannot change a resource twice, because the result would be ambiguous.
///
/// It is refused whatever the changes are, and whichever versions of the type they name.
pub async fn change_a_resource_once(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("stored"))).await;
    let query = query("default", "default", "");
    let update = || put_of(saying(&stored, 1));
    let removal = || Change::Delete { id: stored.id.clone(), version: version(&stored) };
    let newer = || {
        let id = crate::Id { resource_type: "demo.v2.Artist".parse().expect("a type"), ..stored.id.clone() };
        put_of(Resource { id, ..Resource::clone(&stored) })
    };
    let creation = || put_of(resource(artist_of("new")));
    let other_put = || put_of(resource(artist_of("other")));
    for twice in [[update(), removal()], [removal(), update()], [update(), newer()], [creation(), creation()]]
    {
        let [one, two] = twice;
        let transaction = Transaction::from_change(one).and(other_put()).and(two);
        refused!(store.commit(transaction).await, CommitError::Invalid(InvalidTransaction::Twice { .. }));
    }
    lists(&*store, &query, slice::from_ref(&stored)).await;
}

/// A change is of the resource with a uid, not of the one that has the name.
pub async fn name_the_uid_of_what_they_change(store: StoreUnderTest) {
    let stored = put(&*store, resource(artist_of("stored"))).await;
    let id = stored.id.clone().without_uid();
    let update = put_of(Resource { id: id.clone(), ..Resource::clone(&stored) });
    let removal = Change::Delete { id, version: version(&stored) };
    for change in [update, removal, put_of(Resource::new(artist_of("new")))] {
        let transaction = Transaction::from_change(put_of(resource(artist_of("other")))).and(change);
        refused!(store.commit(transaction).await, CommitError::Invalid(InvalidTransaction::NoUid { .. }));
    }
    lists(&*store, &query("default", "default", ""), slice::from_ref(&stored)).await;
}

/// A transaction can require a resource to exist, and with a uid to be that one.
pub async fn rely_on_a_resource(store: StoreUnderTest) {
    let child = || put_of(resource(artist_of("child")));
    let relying = |id| Transaction::from_change(child()).require(id, RequirementState::Present);
    refused!(store.commit(relying(artist_of("owner"))).await, CommitError::Requirement { .. });

    let owner = put(&*store, resource(artist_of("owner"))).await;
    let other_id = artist_of("owner").with_uid(new_uid());
    refused!(store.commit(relying(other_id)).await, CommitError::Requirement { .. });
    refused!(store.read(&artist_of("child"), Consistency::Strong).await, ReadError::NotFound { .. });

    // The version of the resource does not matter.
    let owner = put(&*store, saying(&owner, 1)).await;
    let mut born = store.commit(relying(owner.id.clone())).await.expect("the owner is there");
    remove(&*store, &born.remove(0)).await;
    let mut born = store.commit(relying(artist_of("owner"))).await.expect("whichever has the name is there");
    remove(&*store, &born.remove(0)).await;

    remove(&*store, &owner).await;
    refused!(store.commit(relying(owner.id.clone())).await, CommitError::Requirement { .. });
    put(&*store, resource(artist_of("owner"))).await;
    refused!(store.commit(relying(owner.id.clone())).await, CommitError::Requirement { .. });
}

/// A transaction can require a resource to exist and not to be marked for deletion.
pub async fn rely_on_a_resource_without_mark(store: StoreUnderTest) {
    let relying = |name| {
        let child = put_of(resource(artist_of(name)));
        Transaction::from_change(child).require(artist_of("owner"), RequirementState::NotMarkedForDeletion)
    };
    refused!(store.commit(relying("a")).await, CommitError::Requirement { .. });
    let mut owner = (*put(&*store, resource(artist_of("owner"))).await).clone();
    store.commit(relying("a")).await.expect("it is not marked");
    owner.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let marked = put(&*store, owner).await;
    refused!(store.commit(relying("b")).await, CommitError::Requirement { .. });
    let present = Transaction::from_change(put_of(resource(artist_of("b"))));
    let present = present.require(marked.id.clone(), RequirementState::Present);
    store.commit(present).await.expect("it is there still");
}
