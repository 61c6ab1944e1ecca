//! Conformance tests of concurrent tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::sample::{
    artist_of, is_conflict, next, put, query, remove, resource, said, saying, version, watch,
};
use crate::resource::Resource;
use crate::storage::{Backend, Consistency, Watch, WatchEvent};
use crate::testing::{StoreUnderTest, history};

const TASKS: usize = 16;

/// One of several concurrent creations of a name succeeds, and its resource is stored.
pub async fn one_creation_wins(store: StoreUnderTest) {
    for round in 0..20 {
        let mut tasks = JoinSet::new();
        for task in 0..TASKS {
            let store = Arc::clone(store.door(task));
            let new = resource(artist_of(&format!("korn-{round}")));
            tasks.spawn(async move { store.write(new).await });
        }
        let (won, errors): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
        assert!(errors.iter().all(is_conflict), "{errors:?}");
        let [Ok(won)] = &won[..] else { panic!("{} won", won.len()) };
        let read = store.read(&artist_of(&format!("korn-{round}")), Consistency::Strong).await;
        assert_eq!(&read.expect("it was created"), won);
    }
}

/// One of several concurrent replacements or deletions of a version succeeds.
pub async fn one_update_of_a_version_wins(store: StoreUnderTest) {
    for round in 0..20 {
        let stored = put(&*store, resource(artist_of(&format!("korn-{round}")))).await;
        let mut tasks = JoinSet::new();
        for task in 0..TASKS {
            let (store, stored) = (Arc::clone(store.door(task)), Arc::clone(&stored));
            tasks.spawn(async move {
                if task % 2 == 0 {
                    store.write(saying(&stored, task as u64)).await.map(Some)
                } else {
                    // `delete` does not report whether it deleted anything, so a transaction is used.
                    let (id, version) = (stored.id.clone(), version(&stored));
                    let removal = crate::storage::Change::Delete { id, version };
                    store.commit(crate::storage::Transaction::from_change(removal)).await.map(|_| None)
                }
            });
        }
        let (won, errors): (Vec<_>, Vec<_>) = tasks.join_all().await.into_iter().partition(Result::is_ok);
        let [Ok(won)] = &won[..] else { panic!("{} won, the others had {errors:?}", won.len()) };
        let read = store.read(&stored.id, Consistency::Strong).await;
        assert_eq!(read.ok(), *won);
    }
}

/// Counting by read, increment and write, with a retry after each conflict, loses no increment.
pub async fn counting_loses_nothing(store: StoreUnderTest) {
    const EACH: u64 = 20;
    let counter = put(&*store, saying(&resource(artist_of("counter")), 0)).await;
    let mut tasks = JoinSet::new();
    for task in 0..TASKS {
        let (store, id) = (Arc::clone(store.door(task)), counter.id.clone());
        tasks.spawn(async move {
            let mut left = EACH;
            while left > 0 {
                let read = store.read(&id, Consistency::Strong).await.expect("it is there");
                let result = store.write(saying(&read, said(&read) + 1)).await;
                assert!(result.is_ok() || is_conflict(&result), "{result:?}");
                left -= u64::from(result.is_ok());
            }
        });
    }
    tasks.join_all().await;
    let read = store.read(&counter.id, Consistency::Strong).await.expect("it is there");
    assert_eq!(said(&read), EACH * TASKS as u64);
}

/// Writes, deletes and writes again its own resources; each state has a higher number than the last.
async fn churn(store: Arc<dyn Backend>, writer: usize) {
    for name in 0..4 {
        let new = || resource(artist_of(&format!("w{writer}-{name}")));
        let mut stored = put(&*store, saying(&new(), 0)).await;
        for number in 1..40 {
            stored = if number % 7 == 0 {
                remove(&*store, &stored).await;
                put(&*store, saying(&new(), number)).await
            } else {
                put(&*store, saying(&stored, number)).await
            };
        }
    }
}

/// Returns the states that a watch has reported by the time it reports `last`.
async fn follow(mut events: Watch) -> BTreeMap<String, Arc<Resource>> {
    let mut resources: BTreeMap<String, Arc<Resource>> = BTreeMap::new();
    let mut snapshot = true;
    loop {
        match next(&mut events).await {
            WatchEvent::EndOfSnapshot => {
                assert!(snapshot, "a snapshot ends once");
                snapshot = false;
            }
            WatchEvent::Upsert(resource) => {
                let before = resources.insert(resource.id.name.to_string(), Arc::clone(&resource));
                assert!(!snapshot || before.is_none(), "{} is twice in a snapshot", resource.id);
                if let Some(before) = before {
                    assert_eq!(said(&resource), said(&before) + 1, "{} goes on", resource.id);
                }
                if resource.id.name.as_str() == "last" {
                    return resources;
                }
            }
            WatchEvent::Delete(resource) => {
                let before = resources.remove(resource.id.name.as_str());
                assert_eq!(before, Some(resource), "the last state that was known is deleted");
            }
        }
    }
}

/// A watch that begins during writes reports each of their changes once, in its snapshot or after it.
pub async fn snapshots_meet_their_changes(store: StoreUnderTest) {
    let query = query("default", "default", "");
    let mut writers = JoinSet::new();
    for writer in 0..4 {
        writers.spawn(churn(Arc::clone(store.door(writer)), writer));
    }
    let mut followers = JoinSet::new();
    for number in 0..60 {
        followers.spawn(follow(watch(&**store.door(number), &query).await));
        tokio::task::yield_now().await;
    }
    writers.join_all().await;
    put(&*store, saying(&resource(artist_of("last")), 0)).await;
    let listed = store.list(&query, Consistency::Strong).await.expect("a list");
    for resources in followers.join_all().await {
        assert_eq!(resources.into_values().collect::<Vec<_>>(), listed);
    }
}

/// Random operations of many tasks are linearizable: see [`history`].
pub async fn histories_are_linearizable(store: StoreUnderTest) {
    let seed = crate::clock::Random::from_machine().bits();
    #[expect(clippy::cast_possible_truncation, reason = "a seed is any 64 bits")]
    let seed = seed as u64;
    let history = history::record(&store, &history::Workload::from_seed(seed)).await;
    if let Err(violation) = history.check() {
        panic!("seed {seed}: {violation}");
    }
}
