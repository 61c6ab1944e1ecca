//! Conformance tests of owners.

use std::sync::Arc;

use super::sample::{
    artist_album, artist_of, id, new_uid, put, query, remove, resource, saying, snapshot, watch,
};
use crate::identity::{Id, Uid};
use crate::resource::Resource;
use crate::storage::{Backend, Key, WatchEvent};
use crate::testing::StoreUnderTest;

fn child(name: &str, owner: &Id) -> Resource {
    Resource { owner: Some(owner.clone()), ..resource(artist_of(name)) }
}

fn uid(resource: &Resource) -> Uid {
    resource.id.uid.expect("what is stored has a uid")
}

/// Checks the owned resources; `expect` is sorted by key.
async fn owns(store: &dyn Backend, owner: Uid, expect: &[&Arc<Resource>]) {
    let listed = store.list_by_owner(owner).await.expect("a list");
    assert_eq!(listed.iter().collect::<Vec<_>>(), expect);
}

/// Children of every type and tenancy are found, and no other resources.
pub async fn find_children_of_any_type(store: StoreUnderTest) {
    let owner = put(&*store, resource(artist_of("owner"))).await;
    owns(&*store, uid(&owner), &[]).await;
    let album = Resource {
        owner: Some(owner.id.clone()),
        ..resource(id(artist_album(), "eu", "other", "follow-the-leader"))
    };
    let album = put(&*store, album).await;
    let sister = put(&*store, child("sister", &owner.id)).await;
    let brother = put(&*store, child("brother", &owner.id)).await;
    put(&*store, resource(artist_of("stranger"))).await;
    put(&*store, child("cousin", &artist_of("uncle").with_uid(new_uid()))).await;
    let mut expect = [&brother, &sister, &album];
    expect.sort_by_key(|resource| Key::from_id(&resource.id));
    owns(&*store, uid(&owner), &expect).await;

    // A changed child is still the same child.
    let sister = put(&*store, saying(&sister, 1)).await;
    let mut expect = [&brother, &sister, &album];
    expect.sort_by_key(|resource| Key::from_id(&resource.id));
    owns(&*store, uid(&owner), &expect).await;
}

/// A new resource with the same name does not inherit the children.
pub async fn are_told_apart_by_uid(store: StoreUnderTest) {
    let first = put(&*store, resource(artist_of("owner"))).await;
    let first_child = put(&*store, child("one", &first.id)).await;
    remove(&*store, &first).await;
    let second = put(&*store, resource(artist_of("owner"))).await;
    let two = put(&*store, child("two", &second.id)).await;
    owns(&*store, uid(&first), &[&first_child]).await;
    owns(&*store, uid(&second), &[&two]).await;
}

/// The deletion of an owner leaves its children unchanged and findable, as somebody has to delete them.
pub async fn are_found_after_their_end(store: StoreUnderTest) {
    let owner = put(&*store, resource(artist_of("owner"))).await;
    let first_child = put(&*store, child("one", &owner.id)).await;
    remove(&*store, &owner).await;
    owns(&*store, uid(&owner), &[&first_child]).await;
}

/// A deleted child, or one with a new owner, is no longer found under the old owner.
pub async fn lose_children_that_go_or_move(store: StoreUnderTest) {
    let owner = put(&*store, resource(artist_of("owner"))).await;
    let other_owner = put(&*store, resource(artist_of("other"))).await;
    let first = put(&*store, child("one", &owner.id)).await;
    let two = put(&*store, child("two", &owner.id)).await;
    remove(&*store, &first).await;
    owns(&*store, uid(&owner), &[&two]).await;
    let two = put(&*store, Resource { owner: Some(other_owner.id.clone()), ..(*two).clone() }).await;
    owns(&*store, uid(&owner), &[]).await;
    owns(&*store, uid(&other_owner), &[&two]).await;
    let two = put(&*store, Resource { owner: None, ..(*two).clone() }).await;
    owns(&*store, uid(&other_owner), &[]).await;
    remove(&*store, &two).await;
}

/// A watcher that got an event of a child also finds the child here.
pub async fn do_not_lack_what_an_event_told(store: StoreUnderTest) {
    const CHILDREN: usize = 100;
    let mut events = watch(&*store, &query("default", "default", "child")).await;
    assert_eq!(snapshot(&mut events).await, []);
    let owner = artist_of("owner").with_uid(new_uid());
    let (writer, id) = (Arc::clone(store.door(0)), owner.clone());
    let writing = tokio::spawn(async move {
        for number in 0..CHILDREN {
            put(&*writer, child(&format!("child-{number}"), &id)).await;
        }
    });
    for count in 1..=CHILDREN {
        let event = super::sample::next(&mut events).await;
        let WatchEvent::Upsert(child) = event else { panic!("{event:?} did not happen") };
        let listed = store.list_by_owner(owner.uid.expect("a uid")).await.expect("a list");
        assert!(listed.len() >= count && listed.contains(&child), "{} is not listed", child.id);
    }
    writing.await.expect("a writer");
}
