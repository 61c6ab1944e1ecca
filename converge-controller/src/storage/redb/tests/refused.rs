//! Tests of files that the system does not allow to be used.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::{Resource as Limited, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use tokio::signal::unix::{SignalKind, signal};

use super::{CHILD, block_on, child, everything, resource};
use crate::storage::{Backend as _, CommitError, Consistency, Redb};

/// Runs work in a thread without the file privileges of root, which threads it starts inherit.
fn without_privileges<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        let mut sets = capabilities(None).unwrap();
        sets.effective -= CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
        set_capabilities(None, sets).unwrap();
        block_on(work)
    });
    thread.join().unwrap()
}

#[test]
fn a_file_without_permission_is_named_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("below").join("resources.redb");
    drop(block_on(Redb::open(&path)).unwrap());
    let before = fs::read(&path).unwrap();
    let refused = |mode: u32, of: &std::path::Path| {
        fs::set_permissions(of, Permissions::from_mode(mode)).unwrap();
        let opened = without_privileges(Redb::open(path.clone()));
        fs::set_permissions(of, Permissions::from_mode(0o700)).unwrap();
        opened.unwrap_err().to_string()
    };
    let expect = format!("cannot open {}: Permission denied (os error 13)", path.display());
    // The file is unreadable, read-only, or in a folder that cannot be entered.
    assert_eq!(refused(0o000, &path), expect);
    assert_eq!(refused(0o400, &path), expect);
    assert_eq!(refused(0o000, path.parent().unwrap()), expect);
    assert_eq!(fs::read(&path).unwrap(), before);

    // The failed creation of a store in a read-only folder leaves nothing behind.
    let new = folder.path().join("below").join("new.redb");
    fs::set_permissions(new.parent().unwrap(), Permissions::from_mode(0o500)).unwrap();
    let error = without_privileges(Redb::open(new.clone())).unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot open {}: ", new.display())), "{error}");
    assert!(error.contains("Permission denied"), "{error}");
    assert_eq!(fs::read_dir(new.parent().unwrap()).unwrap().count(), 1);
    fs::set_permissions(new.parent().unwrap(), Permissions::from_mode(0o700)).unwrap();
}

/// Writes up to the file size limit, and continues once the limit is raised.
async fn write_to_the_limit(path: &std::path::Path) {
    // A server installs this handler as well. Without it the signal would end the process.
    let _handler = signal(SignalKind::from_raw(25)).unwrap();
    let store = Redb::open(path).await.unwrap();
    let before = getrlimit(Limited::Fsize);
    setrlimit(Limited::Fsize, Rlimit { current: Some(4 << 20), maximum: before.maximum }).unwrap();
    let mut stored = Vec::new();
    let error = loop {
        let number = stored.len();
        match store.write(resource(&format!("a{number:05}"), number as u128, vec![1; 50_000])).await {
            Ok(resource_in_store) => stored.push(resource_in_store),
            Err(error) => break error,
        }
        assert!(number < 1_000, "the file is larger than it may be");
    };
    assert!(matches!(error, CommitError::Unavailable(_)), "{error:?}");
    let expect = format!("{} cannot be used: I/O error: File too large (os error 27)", path.display());
    assert_eq!(error.to_string(), expect);
    assert!(!stored.is_empty());
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), stored);
    setrlimit(Limited::Fsize, before).unwrap();
    stored.push(store.write(resource("last", 10_000, vec![1; 500_000])).await.unwrap());
    assert_eq!(store.list(&everything(), Consistency::Strong).await.unwrap(), stored);
}

#[test]
fn a_file_that_may_not_be_larger_refuses_and_lets_go_on() {
    if let Some(path) = std::env::var_os(CHILD) {
        block_on(write_to_the_limit(path.as_ref()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let process = child(
        "refused::a_file_that_may_not_be_larger_refuses_and_lets_go_on",
        &folder.path().join("resources.redb"),
    );
    let output = process.wait_with_output().unwrap();
    assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stdout));
}
