//! Tests of unusual situations.

use tokio::time::timeout;

use super::*;
use crate::builtin_types::Tombstone;
use crate::registry::StoredResource as _;
use crate::storage::{Key, WatchEvent};
use crate::testing::{FaultRates, Faults};

/// Returns a service over a slow store that sometimes lets another writer in between.
fn slow(seed: u64) -> (Client, Arc<Faults<Memory>>) {
    let memory = Memory::new();
    let leases = memory.leases().clone();
    let rates = FaultRates { delay: Duration::from_millis(20), ..FaultRates::NONE };
    let store = Arc::new(Faults::new(memory, leases, rates, seed));
    (client_of(Arc::<Faults<Memory>>::clone(&store), TODAY, seed), store)
}

fn finalizer(number: usize) -> Finalizer {
    format!("example.org/{number}").parse().unwrap()
}

#[tokio::test(start_paused = true)]
async fn who_meets_others_all_the_time_gives_up_and_says_so() {
    // With many concurrent writers some always lose, and no acknowledged write is lost.
    let (client, store) = slow(1);
    client.write(resource(ARTIST, "korn")).await.unwrap();
    let writes: Vec<_> = (0..40)
        .map(|number| {
            let client = client.clone();
            let note = move |mut given: Resource| {
                given.metadata.set("by", number.to_string()).unwrap();
                given
            };
            tokio::spawn(async move { client.write(note(resource(ARTIST, "korn"))).await })
        })
        .collect();
    let mut versions = std::collections::BTreeSet::new();
    let mut aborted = 0;
    for write in writes {
        match write.await.unwrap() {
            Ok(stored) => assert!(versions.insert(stored.version.as_ref().unwrap().to_string())),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Aborted, "{error}");
                aborted += 1;
            }
        }
    }
    assert!(!versions.is_empty() && aborted > 0, "{} written, {aborted} not", versions.len());
    store.set_rates(FaultRates::NONE);
    let last = client.read(&id(ARTIST, "korn"), Consistency::Strong).await.unwrap();
    assert!(versions.contains(last.version.as_ref().unwrap().as_str()));
}

#[tokio::test(start_paused = true)]
async fn two_who_meet_are_both_served() {
    for seed in 0..50 {
        let (client, _store) = slow(seed);
        let created = client.write(resource(ARTIST, "korn")).await.unwrap();
        let status = crate::resource::Status::new(created.generation.unwrap(), []);
        let update =
            StatusUpdate { id: created.id.clone(), version: None, key: "c".parse().unwrap(), status };
        let (with_guard, second, reported) = tokio::join!(
            client.write(with_finalizers(resource(ARTIST, "korn"), ["a"])),
            client.write(with_word(resource(ARTIST, "korn"), "other")),
            client.write_status(update),
        );
        assert_ne!(with_guard.unwrap().version, second.unwrap().version);
        reported.unwrap();
        let (deleted, write_result) = tokio::join!(
            client.delete(&created.id, None),
            client.write(with_word(resource(ARTIST, "korn"), "last")),
        );
        deleted.unwrap();
        // A writer of a resource that was marked meanwhile gets this error.
        assert!(
            write_result.is_ok() || write_result.unwrap_err().to_string().contains("is marked for deletion")
        );
        let left = client.read(&created.id, Consistency::Strong).await.unwrap();
        assert!(left.metadata.is_marked_for_deletion());
    }
}

/// Returns the keys of all resources, and the number of tombstones.
fn left(store: &Memory) -> (Vec<String>, usize) {
    let snapshot = store.snapshot();
    let is_tombstone = |resource: &&Arc<Resource>| resource.id.resource_type == *Tombstone::resource_type();
    let tombstones = snapshot.iter().filter(is_tombstone).count();
    let others = snapshot.iter().filter(|resource| !is_tombstone(resource));
    (others.map(|resource| Key::from_id(&resource.id).to_string()).collect(), tombstones)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_has_done_all_of_its_work_or_none() {
    const KORN: &str = "demo/Artist/default/default/korn";
    // The creation and the removal of the last finalizer are each done completely or not at all.
    let mut created = [0, 0];
    let mut freed = [0, 0];
    for (after, seed) in (0..60).flat_map(|after| [(after, 7), (after, 8)]) {
        let after = Duration::from_millis(after);
        let (client, store) = slow(seed);
        let owner = client.write(resource(REGION, "eu")).await.unwrap();
        let of_owner = |input| Resource { owner: Some(owner.id.clone()), ..input };
        let with_finalizer = of_owner(with_finalizers(resource(ARTIST, "korn"), ["a"]));
        let plain_artist = of_owner(with_finalizers(resource(ARTIST, "korn"), []));
        let answer = timeout(after, client.write(with_finalizer)).await;
        let (others, tombstones) = left(store.store());
        let is_there = others.contains(&KORN.to_owned());
        let children = store.store().list_by_owner(owner.id.uid.unwrap()).await.unwrap();
        assert_eq!((children.len(), tombstones), (usize::from(is_there), 0));
        created[usize::from(is_there)] += 1;
        if !is_there {
            assert!(answer.is_err(), "nothing was written, and acknowledged");
            continue;
        }
        client.delete(&id(ARTIST, "korn"), None).await.unwrap();
        let answer = timeout(after / 3, client.write(plain_artist)).await;
        let (others, tombstones) = left(store.store());
        let is_gone = !others.contains(&KORN.to_owned());
        assert_eq!(tombstones, usize::from(is_gone));
        freed[usize::from(is_gone)] += 1;
        assert!(is_gone || answer.is_err(), "nothing was deleted, and acknowledged");
    }
    assert!(created.iter().chain(&freed).all(|count| *count > 3), "created {created:?}, freed {freed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_large_resource_with_thousands_of_notes_and_finalizers_lives_and_ends() {
    let f = fixture();
    let mut input = with_word(resource(ARTIST, &"x".repeat(63)), &"word ".repeat(1_000_000));
    for number in 0..5_000 {
        input.metadata.set(format!("note \u{1f3b8} {number}"), "\0\n ".repeat(50)).unwrap();
        input.metadata.add_finalizer(finalizer(number));
    }
    let stored = f.write(input.clone()).await;
    assert_eq!((&stored.data, &stored.metadata), (&input.data, &input.metadata));
    f.client.delete(&stored.id, None).await.unwrap();
    let mut marked = Resource::clone(&*f.read(&stored.id).await.unwrap());
    marked.metadata.remove_finalizer(&finalizer(17));
    let mut freed = Resource::clone(&*f.write(marked).await);
    assert_eq!(freed.metadata.finalizers().count(), 4_999);
    for number in 0..5_000 {
        freed.metadata.remove_finalizer(&finalizer(number));
    }
    f.write(freed).await;
    assert!(f.read(&stored.id).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_watches_hear_of_a_change_and_cost_nothing_when_they_are_gone() {
    let f = fixture();
    let list = List::new(ARTIST.parse().unwrap());
    let mut watches = Vec::new();
    for _ in 0..10_000 {
        let mut watch = f.client.watch_list(&list).await.unwrap();
        assert_eq!(watch.next().await.unwrap(), WatchEvent::EndOfSnapshot);
        watches.push(watch);
    }
    let stored = f.write(resource(ARTIST, "korn")).await;
    for watch in &mut watches {
        assert_eq!(watch.next().await.unwrap(), WatchEvent::Upsert(Arc::clone(&stored)));
    }
    // Each watch held the resource; after the next change only the store does.
    drop(watches);
    f.write(with_word(resource(ARTIST, "korn"), "other")).await;
    assert_eq!(Arc::strong_count(&stored), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_nobody_reads_keeps_a_bounded_number_of_events() {
    let f = fixture();
    let mut watch = f.client.watch_list(&List::new(ARTIST.parse().unwrap())).await.unwrap();
    let first = f.write(resource(ARTIST, "korn")).await;
    for _ in 0..crate::storage::Watch::MOST_WAITING {
        f.write(resource(ARTIST, "korn")).await;
    }
    assert_eq!(Arc::strong_count(&first), 2, "the watch still holds the first event");
    let mut read = 0;
    let error = loop {
        match watch.next().await {
            Ok(_) => read += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(read, crate::storage::Watch::MOST_WAITING + 1);
    assert_eq!(error.to_string(), "the watch was closed because its events were not read quickly enough");
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_does_no_harm() {
    let f = fixture();
    let client_at = |offset| client_of(Arc::<Memory>::clone(&f.store), offset, 9);
    let year = Duration::from_hours(365 * 24);
    let clients = [7_000 * year, Duration::ZERO, 100_000 * year].map(client_at);
    let mut uids = std::collections::BTreeSet::new();
    for client in clients {
        let stored = client.write(with_finalizers(resource(ARTIST, "korn"), ["a"])).await.unwrap();
        assert!(uids.insert(stored.generation.unwrap()));
        let status = crate::resource::Status::new(stored.generation.unwrap(), []);
        let update = StatusUpdate { id: stored.id.clone(), version: None, key: "c".parse().unwrap(), status };
        client.write_status(update).await.unwrap();
    }
    // The resource is marked by one server, and freed by another whose clock is far behind.
    client_at(7_000 * year).delete(&id(ARTIST, "korn"), None).await.unwrap();
    let marked = f.read(&id(ARTIST, "korn")).await.unwrap();
    assert!(marked.metadata.is_marked_for_deletion());
    f.write(with_finalizers(resource(ARTIST, "korn"), [])).await;
    assert!(f.read(&id(ARTIST, "korn")).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn children_that_are_born_while_their_owner_goes_have_an_owner_or_a_refusal() {
    let (mut born, mut refused) = (0, 0);
    for seed in 0..100 {
        let (client, store) = slow(seed);
        let owner = client.write(resource(ARTIST, "korn")).await.unwrap();
        let child = Resource { owner: Some(owner.id.clone()), ..resource(ARTIST, "child") };
        let (child, deleted) = tokio::join!(client.write(child), client.delete(&owner.id, None));
        deleted.unwrap();
        match child {
            // The child was created before the tombstone, whose handling has seen it.
            Ok(child) => {
                let tombstones = store.store().snapshot();
                let number =
                    |resource: &Resource| resource.version.as_ref().unwrap().as_str().parse::<u64>().unwrap();
                let tombstone =
                    tombstones.iter().find(|left| left.id.resource_type == *Tombstone::resource_type());
                assert!(number(&child) < number(tombstone.expect("a tombstone")), "seed {seed}");
                born += 1;
            }
            Err(error) => {
                let expect = "resource.owner demo.v1.Artist/default/default/korn: does not exist: create it first, or leave its uid out if it was created again";
                assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::InvalidArgument, expect));
                refused += 1;
            }
        }
    }
    assert!(born > 10 && refused > 10, "{born} born, {refused} refused");
}
