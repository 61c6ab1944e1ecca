//! Tests of the content after a store was closed, and during a compaction.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::{everything, id, resource, store};
use crate::Resource;
use crate::storage::{Backend as _, Change, Consistency, Redb, Transaction, WatchClosed, WatchEvent};

#[tokio::test]
async fn everything_is_there_when_it_is_opened_again() {
    let (folder, store) = store().await;
    let owner = store.write(resource("owner", 1, vec![])).await.unwrap();
    let child = Resource { owner: Some(owner.id.clone()), ..resource("child", 2, vec![3; 10_000]) };
    let child = store.write(child).await.unwrap();
    let deleted_resource = store.write(resource("gone", 3, vec![])).await.unwrap();
    store.delete(deleted_resource.id.clone(), deleted_resource.version.clone().unwrap()).await.unwrap();
    drop(store);

    let store = Redb::open(folder.path().join("resources.redb")).await.unwrap();
    let expect = [Arc::clone(&child), Arc::clone(&owner)];
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), expect);
    assert_eq!(store.list_by_owner(owner.id.uid.unwrap()).await.unwrap(), [child]);
    // The version count continues.
    let fresh = store.write(resource("gone", 4, vec![])).await.unwrap();
    let versions = [&deleted_resource, &owner].map(|stored| stored.version.clone());
    assert!(!versions.contains(&fresh.version));
}

#[tokio::test]
async fn who_watches_is_told_that_it_is_closed() {
    let (_folder, store) = store().await;
    let mut events = store.watch(&everything()).await.unwrap();
    let stored = store.write(resource("last", 1, vec![])).await.unwrap();
    drop(store);
    assert_eq!(events.next().await, Ok(WatchEvent::EndOfSnapshot));
    assert_eq!(events.next().await, Ok(WatchEvent::Upsert(stored)));
    assert_eq!(events.next().await, Err(WatchClosed::Disconnected));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_commit_that_fails_does_not_hurt_those_beside_it() {
    let (_folder, store) = store().await;
    let store = Arc::new(store);
    store.write(resource("taken", 1, vec![])).await.unwrap();
    let mut tasks = JoinSet::new();
    for task in 0..64_u128 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let name = if task % 2 == 0 { "taken".to_owned() } else { format!("fine-{task}") };
            // The first change of the failing transactions is valid.
            let change_beside =
                Change::Put(Box::new(resource(&format!("beside-{task}"), 200 + task, vec![])));
            let change = Change::Put(Box::new(resource(&name, 100 + task, vec![])));
            (task, store.commit(Transaction::from_change(change_beside).and(change)).await.is_ok())
        });
    }
    for (task, is_stored) in tasks.join_all().await {
        assert_eq!(is_stored, task % 2 == 1, "{task}");
        let stored_neighbor = store.find(&id(&format!("beside-{task}")), Consistency::Strong).await.unwrap();
        assert_eq!(stored_neighbor.is_some(), is_stored, "{task}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_resource_that_is_too_large_is_refused_alone() {
    let (folder, store) = store().await;
    let mut watch = store.watch(&everything()).await.unwrap();
    assert_eq!(watch.next().await, Ok(WatchEvent::EndOfSnapshot));
    // The bytes are never written, so they take no memory.
    let large = bytes::Bytes::from(vec![0; 3 << 30]);
    let store = Arc::new(store);
    let mut writes = JoinSet::new();
    for number in 0..64 {
        let store = Arc::clone(&store);
        writes.spawn(async move { store.write(resource(&format!("a{number}"), 100 + number, vec![])).await });
    }
    let large = store.write(resource("large", 1, large)).await;
    let error = large.unwrap_err();
    assert_eq!(
        error.to_string(),
        "demo.v1.Artist/default/default/large has 3221225606 bytes, and the store keeps 2147483647 of a resource at most: keep large data elsewhere, and where they are in it"
    );
    assert!(writes.join_all().await.into_iter().all(|result| result.is_ok()));
    for _ in 0..64 {
        assert!(matches!(watch.next().await, Ok(WatchEvent::Upsert(_))), "nothing was closed");
    }
    assert!(std::fs::metadata(folder.path().join("resources.redb")).unwrap().len() < 64 << 20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn compaction_gives_space_back_and_disturbs_nobody() {
    const RESOURCES: u128 = 400;
    let (folder, store) = store().await;
    let size = || std::fs::metadata(folder.path().join("resources.redb")).unwrap().len();
    let mut stored = Vec::new();
    for number in 0..RESOURCES / 50 {
        let new = (0..50).map(|index| number * 50 + index);
        let new =
            new.map(|index| Change::Put(Box::new(resource(&format!("a{index:05}"), index, vec![1; 20_000]))));
        stored.extend(
            store.commit(Transaction { changes: new.collect(), ..Transaction::default() }).await.unwrap(),
        );
    }
    let mut events = store.watch(&everything()).await.unwrap();
    let (resources_to_keep, resources_to_delete) = stored.split_at(10);
    for chunk in resources_to_delete.chunks(50) {
        let removal = |gone: &Arc<Resource>| Change::Delete {
            id: gone.id.clone(),
            version: gone.version.clone().unwrap(),
        };
        let changes = chunk.iter().map(removal).collect();
        store.commit(Transaction { changes, ..Transaction::default() }).await.unwrap();
    }
    let before = size();
    let query = everything();
    let (compacted, listed) = tokio::join!(store.compact(), store.list(&query, Consistency::Strong));
    assert!(compacted.unwrap());
    assert_eq!(listed.unwrap(), resources_to_keep);
    assert!(size() < before / 4, "{} of {before} bytes are left", size());

    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), resources_to_keep);
    let last = store.write(resource("last", 20_000, vec![])).await.unwrap();
    loop {
        if events.next().await.unwrap() == WatchEvent::Upsert(Arc::clone(&last)) {
            break;
        }
    }
}
