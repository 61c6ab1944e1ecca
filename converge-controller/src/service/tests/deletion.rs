use super::*;
use crate::builtin_types::Tombstone;
use crate::identity::Uid;
use crate::registry::{StoredResource as _, Typed};
use crate::resource::Version;
use crate::storage::{Change, Transaction, WatchEvent};

const INVALID: ErrorKind = ErrorKind::InvalidArgument;

/// Returns the names of the existing tombstones.
fn tombstones(f: &Fixture) -> Vec<String> {
    let snapshot = f.store.snapshot();
    let tombstone_list =
        snapshot.iter().filter(|resource| resource.id.resource_type == *Tombstone::resource_type());
    tombstone_list.map(|resource| resource.id.name.to_string()).collect()
}

fn tombstone_of(resource: &Resource) -> String {
    format!("tombstone-{}", resource.id.uid.unwrap()).to_lowercase()
}

fn finalizer(name: &str) -> Finalizer {
    name.parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn d1_a_deletion_of_what_is_not_there_is_none() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    f.client.delete(&id(ARTIST, "nobody"), None).await.unwrap();
    f.client.delete(&created.id.clone().with_uid(Uid::from_bits(1)), None).await.unwrap();
    assert!(f.read(&created.id).await.is_some());

    // A version is checked with and without a uid.
    let stale = Version::from(999);
    for id in [created.id.clone(), created.id.clone().without_uid()] {
        let error = f.client.delete(&id, Some(&stale)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Aborted);
    }
    f.client.delete(&created.id.clone().without_uid(), created.version.as_ref()).await.unwrap();
    assert!(f.read(&created.id).await.is_none());
    f.client.delete(&created.id, created.version.as_ref()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn d2_a_deletion_and_its_tombstone_are_one_step() {
    let f = fixture();
    // A tombstone name could not contain this longest name besides the uid.
    let created = f.write(resource(ARTIST, &"a".repeat(63))).await;
    let mut watch = f.client.watch_list(&List::new(Tombstone::resource_type().clone())).await.unwrap();
    assert_eq!(watch.next().await.unwrap(), WatchEvent::EndOfSnapshot);
    f.client.delete(&created.id, None).await.unwrap();
    assert_eq!(tombstones(&f), [tombstone_of(&created)]);
    let WatchEvent::Upsert(tombstone) = watch.next().await.unwrap() else { panic!("no tombstone") };
    assert_eq!(tombstone.id.to_string(), format!("internal.v1.Tombstone/{}", tombstone_of(&created)));
    let tombstone = Typed::<Tombstone>::decode(Resource::clone(&tombstone)).unwrap();
    assert_eq!(tombstone.data.owner.as_ref(), Some(&created.id));
}

#[tokio::test(start_paused = true)]
async fn d3_a_tombstone_leaves_none() {
    let f = fixture();
    let created = f.write(resource(ARTIST, "korn")).await;
    f.client.delete(&created.id, None).await.unwrap();
    f.client.delete(&id("internal.v1.Tombstone", &tombstone_of(&created)), None).await.unwrap();
    assert_eq!(f.store.snapshot(), []);
}

#[tokio::test(start_paused = true)]
async fn d4_what_is_always_there_cannot_be_deleted() {
    let f = fixture();
    f.client.service().start().await.unwrap();
    // Another deletion changes nothing.
    let before = f.store.snapshot();
    f.client.service().start().await.unwrap();
    assert_eq!(f.store.snapshot(), before);
    for (resource_type, name) in [
        ("tenancy.v1.Partition", "tenancy.v1.Partition/default"),
        ("tenancy.v1.Namespace", "tenancy.v1.Namespace/default/default"),
    ] {
        assert!(f.read(&id(resource_type, "default")).await.is_some());
        let error = f.client.delete(&id(resource_type, "default"), None).await.unwrap_err();
        assert_eq!(error.to_string(), format!("{name} is built in and cannot be deleted"));
        assert_eq!(error.kind(), ErrorKind::FailedPrecondition);
        f.write(Resource::new(id(resource_type, "other"))).await;
        f.client.delete(&id(resource_type, "other"), None).await.unwrap();

        // Marking is refused as well, because it would delete the contents.
        let resource =
            with_finalizers(Resource::clone(&*f.read(&id(resource_type, "default")).await.unwrap()), ["a"]);
        let [held] =
            &f.store.commit(Transaction::from_change(Change::Put(Box::new(resource)))).await.unwrap()[..]
        else {
            panic!("one resource was put")
        };
        let mut marked = Resource::clone(held);
        marked.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
        let expect = format!("{name} is built in and cannot be deleted");
        f.refused(marked, ErrorKind::FailedPrecondition, &expect).await;
    }
}

#[tokio::test(start_paused = true)]
async fn d6_references_are_to_a_uid() {
    let f = fixture();
    let owner = f.write(resource(ARTIST, "korn")).await;
    let child = Resource { owner: Some(owner.id.clone()), ..resource(ARTIST, "child") };
    let child = f.write(child).await;
    f.client.delete(&owner.id, None).await.unwrap();
    assert_eq!(f.client.list_by_owner(&owner.id).await.unwrap(), std::slice::from_ref(&child));
    // Another resource with that name does not inherit the children.
    let heir = f.write(resource(ARTIST, "korn")).await;
    assert_eq!(f.client.list_by_owner(&heir.id).await.unwrap(), []);
    f.client.delete(&child.id, None).await.unwrap();
    assert_eq!(f.client.list_by_owner(&owner.id).await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn f2_what_has_finalizers_is_marked() {
    let f = fixture();
    let created = f.write(with_finalizers(resource(ARTIST, "korn"), ["a"])).await;
    f.client.delete(&created.id, None).await.unwrap();
    let marked = f.read(&created.id).await.expect("it is kept");
    let time = jiff::Timestamp::try_from(f.client.service().clock().now()).unwrap();
    assert_eq!(marked.metadata.deletion_timestamp(), Some(time));
    assert_ne!(marked.generation, created.generation);
    assert_eq!(tombstones(&f), [""; 0]);
    // Another deletion changes nothing.
    tokio::time::advance(Duration::from_secs(5)).await;
    f.client.delete(&created.id, None).await.unwrap();
    assert_eq!(f.read(&created.id).await, Some(marked));
}

/// Returns a resource that is marked for deletion, with finalizers `a` and `b` and a note.
async fn marked(f: &Fixture) -> Resource {
    let mut input = with_finalizers(resource(ARTIST, "korn"), ["a", "b"]);
    input.metadata.set("note", "x").unwrap();
    let created = f.write(input).await;
    f.client.delete(&created.id, None).await.unwrap();
    Resource::clone(&*f.read(&created.id).await.unwrap())
}

const KORN: &str = "demo.v1.Artist/default/default/korn";

#[tokio::test(start_paused = true)]
async fn f3_a_mark_by_a_write_comes_alone() {
    let f = fixture();
    let plain_artist = f.write(resource(ARTIST, "free")).await;
    let mut input = Resource::clone(&plain_artist);
    input.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let expect = "demo.v1.Artist/default/default/free has no finalizers, so that a deletionTimestamp would never end: use delete";
    f.refused(input, INVALID, expect).await;

    let stored = f.write(with_finalizers(resource(ARTIST, "korn"), ["a"])).await;
    let mut mark = Resource::clone(&stored);
    mark.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let metadata = format!(
        "{KORN} is marked for deletion by this write, which cannot modify metadata beside that: change it first, or use delete"
    );
    let mut noted = mark.clone();
    noted.metadata.set("note", "x").unwrap();
    f.refused(noted, INVALID, &metadata).await;
    let mut with_third = mark.clone();
    with_third.metadata.add_finalizer(finalizer("b"));
    f.refused(with_third, INVALID, &metadata).await;
    let data = format!(
        "{KORN} is marked for deletion by this write, which cannot modify data: change them first, or use delete"
    );
    f.refused(with_word(mark.clone(), "other"), INVALID, &data).await;
    let marked = f.write(mark).await;
    assert!(marked.metadata.is_marked_for_deletion());
}

#[tokio::test(start_paused = true)]
async fn f4_a_mark_stays() {
    let f = fixture();
    let stored = marked(&f).await;
    let mut removed = stored.clone();
    removed.metadata.set_deletion_timestamp(None);
    let expect = format!(
        "{KORN} is marked for deletion: cannot remove deletionTimestamp, because a deletion cannot be undone"
    );
    f.refused(removed, INVALID, &expect).await;
    let mut changed = stored;
    changed.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let expect =
        format!("{KORN} is marked for deletion: cannot modify deletionTimestamp; leave it as it was read");
    f.refused(changed, INVALID, &expect).await;
}

#[tokio::test(start_paused = true)]
async fn f5_what_is_marked_is_frozen() {
    let f = fixture();
    let stored = marked(&f).await;
    let check = async |given: Resource, expect: &str| {
        f.refused(given, INVALID, &format!("{KORN} {expect}")).await;
    };
    check(stored.clone(), "cannot no-op write resource marked for deletion: all that can be written is that a finalizer is removed").await;
    // A write without a version keeps what it omits, so this changes nothing.
    let without_version = Resource { version: None, ..stored.clone() };
    check(without_version, "cannot no-op write resource marked for deletion: all that can be written is that a finalizer is removed").await;

    let added = "is marked for deletion: expected at least one finalizer to be removed, and none added";
    let mut with_third = stored.clone();
    with_third.metadata.add_finalizer(finalizer("c"));
    check(with_third.clone(), added).await;
    with_third.metadata.remove_finalizer(&finalizer("a"));
    check(with_third, added).await;

    let mut freed = stored;
    freed.metadata.remove_finalizer(&finalizer("a"));
    let mut noted = freed.clone();
    noted.metadata.set("note", "y").unwrap();
    check(noted, "is marked for deletion: cannot modify metadata; all that can be written is that a finalizer is removed").await;
    check(
        with_word(freed.clone(), "y"),
        "is marked for deletion: cannot modify data; all that can be written is that a finalizer is removed",
    )
    .await;
    assert_eq!(finalizers(&*f.write(freed).await), ["b"]);
}

#[tokio::test(start_paused = true)]
async fn f6_what_is_marked_still_has_a_status() {
    let f = fixture();
    let stored = marked(&f).await;
    let status = crate::resource::Status::new(stored.generation.unwrap(), []);
    let update = StatusUpdate { id: stored.id, version: None, key: "c".parse().unwrap(), status };
    assert_eq!(f.client.write_status(update).await.unwrap().status.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn f7_the_write_that_removes_the_last_finalizer_deletes() {
    let f = fixture();
    let stored = marked(&f).await;
    let artists = List::new(stored.id.resource_type.clone());
    let mut watch = f.client.watch_list(&artists).await.unwrap();
    assert!(matches!(watch.next().await.unwrap(), WatchEvent::Upsert(_)));
    assert_eq!(watch.next().await.unwrap(), WatchEvent::EndOfSnapshot);

    let last = f.write(with_notes(&stored, [])).await;
    assert!(last.metadata.is_marked_for_deletion() && !last.metadata.has_finalizers());
    assert!(f.read(&stored.id).await.is_none());
    assert_eq!(tombstones(&f), [tombstone_of(&stored)]);
    // There is one event, with the last state.
    let WatchEvent::Delete(told) = watch.next().await.unwrap() else { panic!("no deletion") };
    assert_eq!(told.metadata, last.metadata);
    f.client.delete(&stored.id, None).await.unwrap();
    assert_eq!(tombstones(&f), [tombstone_of(&stored)]);
}

/// Returns the resource with other finalizers, without a version.
fn with_notes<const N: usize>(stored: &Resource, names: [&str; N]) -> Resource {
    let mut resource = with_finalizers(stored.clone(), names);
    for (key, text) in stored.metadata.notes() {
        resource.metadata.set(key, text).unwrap();
    }
    Resource { version: None, ..resource }
}

#[tokio::test(start_paused = true)]
async fn a_type_that_became_stricter_does_not_stop_a_deletion() {
    let f = fixture();
    let created = f.write(with_finalizers(resource(ARTIST, "korn"), ["a"])).await;
    // The resource was stored before its type refused such data.
    let strict = with_word(Resource::clone(&created), "bad");
    f.store.commit(Transaction::from_change(Change::Put(Box::new(strict)))).await.unwrap();
    f.client.delete(&created.id, None).await.unwrap();
    let stored = f.read(&created.id).await.unwrap();
    f.write(with_notes(&stored, [])).await;
    assert!(f.read(&created.id).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn what_has_no_type_any_more_can_be_deleted() {
    let f = fixture();
    let orphan = Resource::new(id("gone.v1.Thing", "x").with_uid(Uid::from_bits(7)));
    f.store.commit(Transaction::from_change(Change::Put(Box::new(orphan.clone())))).await.unwrap();
    f.client.delete(&id("gone.v1.Thing", "x"), None).await.unwrap();
    assert_eq!(tombstones(&f), [tombstone_of(&orphan)]);
    let error = f.client.delete(&id("gone.v1.Thing", "x"), None).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "resource type gone.v1.Thing not registered, in no version: its package has to be registered with the service"
    );
}

#[tokio::test(start_paused = true)]
async fn what_has_no_type_any_more_can_be_freed_and_nothing_else() {
    let f = fixture();
    let mut orphan =
        with_finalizers(Resource::new(id("gone.v1.Thing", "x").with_uid(Uid::from_bits(7))), ["a", "b"]);
    orphan.data = Some(Data::new(&orphan.id.resource_type, vec![0xff]));
    f.store.commit(Transaction::from_change(Change::Put(Box::new(orphan.clone())))).await.unwrap();
    let unknown = "resource type gone.v1.Thing not registered, in no version: its package has to be registered with the service";
    f.refused(orphan.clone(), INVALID, unknown).await;

    f.client.delete(&orphan.id, None).await.unwrap();
    let marked = f.store.snapshot()[0].clone();
    assert!(marked.metadata.is_marked_for_deletion());
    let mut freed = Resource::clone(&marked);
    freed.metadata.remove_finalizer(&finalizer("a"));
    let frozen = "gone.v1.Thing/x is marked for deletion: cannot modify data; all that can be written is that a finalizer is removed";
    f.refused(with_word(freed.clone(), "other"), INVALID, frozen).await;
    f.write(freed).await;
    f.write(with_finalizers(Resource { version: None, ..Resource::clone(&marked) }, [])).await;
    assert_eq!(tombstones(&f), [tombstone_of(&orphan)]);
    f.refused(Resource { version: None, ..orphan }, INVALID, unknown).await;
}

#[tokio::test(start_paused = true)]
async fn what_is_owned_by_a_type_that_is_gone_can_be_written_and_freed() {
    let f = fixture();
    let owner_id = id("gone.v1.Thing", "owner").with_uid(Uid::from_bits(7));
    let created = f.write(with_finalizers(resource(ARTIST, "korn"), ["a"])).await;
    let owned = Resource { owner: Some(owner_id.clone()), ..Resource::clone(&created) };
    f.store.commit(Transaction::from_change(Change::Put(Box::new(owned)))).await.unwrap();
    let owned = f.read(&created.id).await.unwrap();
    let changed = f.write(with_word(Resource::clone(&owned), "changed")).await;
    assert_eq!(changed.owner.as_ref(), Some(&owner_id));
    f.client.delete(&created.id, None).await.unwrap();
    let marked = f.read(&created.id).await.unwrap();
    f.write(with_notes(&marked, [])).await;
    assert!(f.read(&created.id).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn the_version_of_the_group_is_frozen_too() {
    let f = fixture();
    // There are no data, which would show the version of the type.
    let resource = with_finalizers(Resource::new(id(ARTIST, "korn")), ["a", "b"]);
    let created = f.write(resource).await;
    let newer = |stored: &Resource| {
        let mut newer = stored.clone();
        newer.id.resource_type = NEW_ARTIST.parse().unwrap();
        newer
    };
    let name = "demo.v2.Artist/default/default/korn";
    let mut mark = newer(&created);
    mark.metadata.set_deletion_timestamp(Some(jiff::Timestamp::UNIX_EPOCH));
    let expect = format!(
        "{name} is marked for deletion by this write, which cannot modify data: change them first, or use delete"
    );
    f.refused(mark, INVALID, &expect).await;
    f.client.delete(&created.id, None).await.unwrap();
    let marked = f.read(&created.id).await.unwrap();
    let expect = format!(
        "{name} is marked for deletion: cannot modify data; all that can be written is that a finalizer is removed"
    );
    f.refused(with_notes(&newer(&marked), ["a"]), INVALID, &expect).await;
}
