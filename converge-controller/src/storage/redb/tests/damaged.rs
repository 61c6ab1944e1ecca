//! Tests with damaged files.

use std::fs;
use std::path::Path;

use super::{everything, resource, store};
use crate::clock::Random;
use crate::storage::{Backend as _, Change, CommitError, Consistency, ReadError, Redb, Transaction};

const RESOURCES: u128 = 300;

/// Does everything with a store, and returns the messages about its damage.
async fn use_all(path: &Path) -> Vec<String> {
    let store = match Redb::open(path).await {
        Ok(store) => store,
        Err(error) => return vec![error.to_string()],
    };
    let mut messages = Vec::new();
    let mut listed = Vec::new();
    match store.list(&everything(), Consistency::Strong).await {
        Ok(resources) => listed = resources,
        Err(error) => messages.push(error.to_string()),
    }
    messages.extend(store.list_by_owner(crate::Uid::from_bits(1)).await.err().map(|error| error.to_string()));
    messages.extend(store.kinds().await.err().map(|error| error.to_string()));
    messages.extend(store.watch(&everything()).await.err().map(|error| error.to_string()));
    for number in (0..RESOURCES).step_by(10) {
        let entry = resource(&format!("a{number:03}"), number, vec![]);
        if let Err(ReadError::Unavailable(error)) = store.read(&entry.id, Consistency::Strong).await {
            messages.push(error.to_string());
        }
        if let Err(CommitError::Unavailable(error)) = store.write(entry).await {
            messages.push(error.to_string());
        }
    }
    for last in listed.iter().take(20) {
        let change = Change::Delete { id: last.id.clone(), version: last.version.clone().unwrap() };
        if let Err(CommitError::Unavailable(error)) = store.commit(Transaction::from_change(change)).await {
            messages.push(error.to_string());
        }
    }
    messages.extend(store.compact().await.err().map(|error| error.to_string()));
    messages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_is_told_with_the_file_and_what_to_do_and_ends_nothing() {
    let (folder, store) = store().await;
    for number in 0..RESOURCES {
        let owner = Some(resource("owner", 1, vec![]).id);
        let size = if number % 50 == 0 { 20_000 } else { 300 };
        let child = resource(&format!("a{number:03}"), number, vec![7; size]);
        store.write(crate::Resource { owner, ..child }).await.unwrap();
    }
    drop(store);
    let path = folder.path().join("resources.redb");
    let bytes = fs::read(&path).unwrap();
    let mut failures = 0;
    for seed in 0..40 {
        let mut random = Random::from_seed(seed);
        let mut damaged = bytes.clone();
        // The damage covers a few bytes, or a page and more, at one or several offsets.
        for _ in 0..=random.below(3) {
            let length = [1, 16, 512, 8_192][random.below(4)];
            let from = random.below(bytes.len() - length);
            for byte in &mut damaged[from..from + length] {
                *byte ^= u8::try_from(1 + random.below(255)).unwrap();
            }
        }
        fs::write(&path, &damaged).unwrap();
        let messages = use_all(&path).await;
        failures += usize::from(!messages.is_empty());
        for message in messages {
            assert!(message.contains(&path.display().to_string()), "seed {seed}: {message}");
            let what_to_do = ["put a copy of it in its place", "move this one away"];
            assert!(what_to_do.iter().any(|hint| message.contains(hint)), "seed {seed}: {message}");
        }
    }
    assert!(failures > 8, "{failures} of 40 were noticed");
}

#[tokio::test]
async fn a_resource_that_cannot_be_read_is_the_trouble_of_nobody_beside() {
    let (folder, store) = store().await;
    let broken = store.write(resource("broken", 1, vec![])).await.unwrap();
    drop(store);
    let path = folder.path().join("resources.redb");
    let file = ::redb::Database::open(&path).unwrap();
    let write = file.begin_write().unwrap();
    let key = crate::storage::Key::from_id(&broken.id);
    let table = ::redb::TableDefinition::<&str, &[u8]>::new("resources");
    write.open_table(table).unwrap().insert(key.as_str(), &[0xff_u8; 9][..]).unwrap();
    write.commit().unwrap();
    drop(file);

    let store = Redb::open(&path).await.unwrap();
    let mut watch = store
        .watch(&crate::storage::Query::new(
            &"demo.v1.Other".parse().unwrap(),
            crate::Scope::Namespace.default_tenancy().into(),
        ))
        .await
        .unwrap();
    assert_eq!(watch.next().await, Ok(crate::storage::WatchEvent::EndOfSnapshot));
    let change = Change::Delete { id: broken.id.clone(), version: broken.version.clone().unwrap() };
    let (bad, healthy) = tokio::join!(
        store.commit(
            Transaction::from_change(Change::Put(Box::new(resource("beside", 2, vec![])))).and(change)
        ),
        store.write(resource("fine", 3, vec![])),
    );
    healthy.unwrap();
    let expect = format!("{key} in {} cannot be read (", path.display());
    let message = bad.unwrap_err().to_string();
    assert!(message.starts_with(&expect), "{message}");
    assert!(message.ends_with("stop what uses it, and put a copy of it in its place"), "{message}");
    assert!(store.find(&resource("beside", 2, vec![]).id, Consistency::Strong).await.unwrap().is_none());
    assert!(store.read(&resource("fine", 3, vec![]).id, Consistency::Strong).await.is_ok());
}
