//! Tests with a full disk.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};

use super::{everything, resource};
use crate::storage::{Backend as _, CommitError, Consistency, Redb, WatchEvent};

/// A small file system in memory.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts the file system; returns `None` if the system does not allow it.
    fn new(folder: &Path) -> Option<Self> {
        let options = c"size=24m,mode=700";
        mount("converge-test", folder, "tmpfs", MountFlags::empty(), Some(options)).ok()?;
        Some(Self(folder.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        unmount(&self.0, UnmountFlags::DETACH).unwrap();
    }
}

#[tokio::test]
async fn a_full_disk_refuses_and_lets_go_on_once_there_is_space() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        if let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") {
            let mut report = std::fs::OpenOptions::new().append(true).create(true).open(report).unwrap();
            writeln!(report, "storage::redb fills a disk: not root").unwrap();
        }
        return;
    };
    let ballast = disk.0.join("ballast");
    std::fs::write(&ballast, vec![0; 8 << 20]).unwrap();
    let store = Redb::open(disk.0.join("resources.redb")).await.unwrap();
    let mut events = store.watch(&everything()).await.unwrap();
    assert_eq!(events.next().await, Ok(WatchEvent::EndOfSnapshot));

    let mut stored = Vec::new();
    let error = loop {
        let number = stored.len();
        match store.write(resource(&format!("a{number:05}"), number as u128, vec![1; 50_000])).await {
            Ok(resource_in_store) => stored.push(resource_in_store),
            Err(error) => break error,
        }
        assert!(number < 1_000, "the disk is not that big");
    };
    assert!(matches!(error, CommitError::Unavailable(_)), "{error:?}");
    assert!(error.to_string().ends_with("No space left on device (os error 28)"), "{error}");
    assert!(!stored.is_empty());

    // Nothing of it is half written, and while the disk is full it is refused again.
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), stored);
    let result = store.write(resource("again", 10_000, vec![1; 500_000])).await;
    assert!(matches!(result, Err(CommitError::Unavailable(_))), "{result:?}");
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), stored);

    std::fs::remove_file(ballast).unwrap();
    let last = store.write(resource("last", 20_000, vec![1; 500_000])).await.unwrap();
    stored.push(Arc::clone(&last));
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), stored);

    // A watch reports all changes or is closed, and never reports a change that was not made.
    let mut expect_resources = stored.into_iter();
    while let Ok(event) = events.next().await {
        assert_eq!(event, WatchEvent::Upsert(expect_resources.next().unwrap()));
        if event == WatchEvent::Upsert(Arc::clone(&last)) {
            break;
        }
    }
    drop(store);
    let reopened = Redb::open(disk.0.join("resources.redb")).await.unwrap();
    assert_eq!(reopened.read(&last.id, Consistency::Strong).await.unwrap(), last);
}
