//! Tests that are specific to the local system: leftovers, hangs and the umask.
//!
//! Tests for every system are in `tests/system_laws`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use super::super::cleaned_folders::SweptFolders;
use super::super::path_root::PathRoot;
use super::super::pool::CancelFlag;
use super::super::system_state::Shared;
use super::staged_file::Staged;
use super::temporary_name::Temporary;
use super::*;
use crate::{LocalSystem, SpecialFile, System, SystemErrorKind};

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .expect("it can be listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn temporary(dir: &Path) -> Temporary {
    let folder = path_lookup::open_folder(&PathRoot::default(), dir, HOLD).expect("it is there").into();
    Temporary::create(&folder, 0o600, &SweptFolders::default()).expect("a name is free")
}

async fn write(path: &Path, content: &[u8]) -> Result<(), SystemErrorKind> {
    let local = LocalSystem::new();
    local.files().write(path, WriteFile::new(content)).await.map_err(|error| error.kind)
}

const LEFTOVER: &str = ".converge-tmp.0123456789abcdef01234567";

#[tokio::test]
async fn a_leftover_is_removed_by_the_next_run() {
    let dir = dir();
    let target = dir.path().join("a");
    fs::write(&target, "old").expect("it can be written");
    fs::write(dir.path().join(LEFTOVER), "half").expect("it can be written");
    fs::write(dir.path().join(".converge-tmp.mine"), "of a name that is not ours")
        .expect("it can be written");
    write(&target, b"whole").await.expect("it can be written");
    assert_eq!(names(dir.path()), [".converge-tmp.mine", "a"]);
}

#[tokio::test]
async fn what_another_run_writes_is_no_leftover() {
    let dir = dir();
    let target = dir.path().join("a");
    fs::write(&target, "old").expect("it can be written");
    let mut first = temporary(dir.path());
    write(&target, b"second").await.expect("it can be written");
    assert_eq!(fs::read(&target).expect("it is there"), b"second");
    std::io::Write::write_all(&mut &**first.file(), b"first").expect("it can be written");
    first.rename("a".as_ref()).expect("it still has its name");
    assert_eq!(fs::read(&target).expect("it is there"), b"first");
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
fn many_writers_of_one_target_never_show_half_a_file() {
    let dir = dir();
    let target = dir.path().join("a");
    std::thread::scope(|scope| {
        for letter in b'a'..b'e' {
            let target = &target;
            scope.spawn(move || {
                for _ in 0..200 {
                    let content = vec![letter; 10_000];
                    let to = path_lookup::target(&PathRoot::default(), target).expect("it can be reached");
                    let shared: Arc<Shared> = Arc::default();
                    let write_future = write::write(to, WriteFile::new(&content), &shared);
                    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
                    runtime.block_on(write_future).expect("it can be written");
                    let content_read = runtime
                        .block_on(super::read::read(target, u64::MAX, &shared))
                        .expect("it can be read")
                        .expect("it is there");
                    assert_eq!(content_read.bytes.len(), 10_000);
                    assert!(
                        content_read.bytes.iter().all(|byte| *byte == content_read.bytes[0]),
                        "one writer's bytes"
                    );
                }
            });
        }
    });
    assert_eq!(names(dir.path()), ["a"]);
}

/// A default list of the directory must not open the file to those who could not read it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_replaced_file_gets_no_list_from_its_directory() {
    use crate::{Acl, AclTag};

    let dir = dir();
    let (local, target) = (LocalSystem::new(), dir.path().join("a"));
    let files = local.files();
    let create = WriteFile { mode: Some(0o640), ..WriteFile::new(b"old") };
    files.write(&target, create).await.expect("it can be written");
    let mut acl = Acl::from_mode(0o750);
    acl.entries.extend([(AclTag::User(1), 7), (AclTag::Mask, 7)]);
    files.set_extended_attribute(dir.path(), Acl::DEFAULT, &acl.to_bytes()).await.expect("a list");
    let list = async |path: &Path| {
        let attributes = files.extended_attributes(path, Follow::Links).await.expect("attributes");
        Acl::find(&attributes.expect("it is there"), Acl::ACCESS)
    };
    write(&target, b"new").await.expect("it can be written");
    assert_eq!(list(&target).await, None);
    assert_eq!(fs::metadata(&target).expect("it is there").permissions().mode() & 0o777, 0o640);
    let new = dir.path().join("b");
    write(&new, b"new").await.expect("it can be written");
    assert_eq!(list(&new).await.map(|acl| acl.mode()), Some(0o600), "a new file has the list, masked");
}

#[tokio::test]
async fn what_has_a_temporary_name_and_is_not_ours_stays() {
    let dir = dir();
    let target = dir.path().join("a");
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&target, "old").expect("it can be written");
    fs::write(&elsewhere, "kept").expect("it can be written");
    std::os::unix::fs::symlink(&elsewhere, dir.path().join(LEFTOVER)).expect("a link");
    let pipe = LEFTOVER.replace('0', "f");
    nix::unistd::mkfifo(&dir.path().join(&pipe), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    write(&target, b"whole").await.expect("it can be written");
    assert_eq!(fs::read(&elsewhere).expect("it is there"), b"kept");
    assert_eq!(names(dir.path()), [LEFTOVER, &pipe, "a", "elsewhere"]);
}

#[tokio::test]
async fn nobody_else_may_have_a_temporary_name() {
    let dir = dir();
    let path = dir.path().join(LEFTOVER);
    assert_eq!(write(&path, b"x").await, Err(SystemErrorKind::ReservedName));
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(LEFTOVER, &link).expect("a link");
    assert_eq!(write(&link, b"x").await, Err(SystemErrorKind::ReservedName));
    let local = LocalSystem::new();
    let result = local.files().create_dir(&path, 0o700).await.map_err(|error| error.kind);
    assert_eq!(result, Err(SystemErrorKind::ReservedName));
    assert_eq!(names(dir.path()), ["link"]);
}

#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let dir = dir();
    // The target becomes a directory after the temporary file was created.
    let mut temporary = temporary(dir.path());
    fs::create_dir(dir.path().join("a")).expect("it can be created");
    temporary.rename("a".as_ref()).expect_err("a file cannot replace a directory");
    drop(temporary);
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_without_a_name_leaves_nothing_and_replaces_nothing() {
    let dir = dir();
    let folder =
        path_lookup::open_folder(&PathRoot::default(), dir.path(), HOLD).expect("it is there").into();
    let Some(file) = unnamed_file::create(&folder, 0o600) else { return };
    assert!(names(dir.path()).is_empty());
    let target = dir.path().join("a");
    fs::write(&target, "came first").expect("it can be written");
    assert!(!unnamed_file::link(&file, &folder, "a".as_ref()));
    assert_eq!(fs::read(&target).expect("it is there"), b"came first");
    assert!(unnamed_file::link(&file, &folder, "b".as_ref()));
    assert_eq!(names(dir.path()), ["a", "b"]);
}

#[tokio::test]
async fn the_longest_name_can_be_written() {
    for name in ["x".repeat(255), "ä".repeat(127)] {
        let dir = dir();
        write(&dir.path().join(&name), b"x").await.expect("it can be written");
        assert_eq!(names(dir.path()), [name]);
    }
}

#[tokio::test]
async fn pipes_and_devices_are_refused_at_once() {
    let dir = dir();
    let pipe = dir.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    for (path, special) in [
        (&*pipe, SpecialFile::Pipe),
        (&*socket, SpecialFile::Socket),
        (Path::new("/dev/null"), SpecialFile::CharacterDevice),
    ] {
        let read = LocalSystem::new().files().read(path).await.map_err(|error| error.kind);
        assert_eq!(read, Err(SystemErrorKind::NotAFile(special)), "{}", path.display());
        assert_eq!(write(path, b"x").await, Err(SystemErrorKind::NotAFile(special)), "{}", path.display());
    }
}

#[tokio::test]
async fn files_of_the_kernel_are_read_whole() {
    let path = Path::new("/proc/self/status");
    let read = LocalSystem::new().files().read(path).await.expect("it can be read").expect("it is there");
    assert_eq!(read.metadata.len, 0);
    assert!(read.bytes.starts_with(b"Name:"), "{}", String::from_utf8_lossy(&read.bytes));
}

#[tokio::test]
async fn what_nobody_waits_for_gets_no_name() {
    let dir = dir();
    let path = dir.path().join("a");
    let shared: Arc<Shared> = Arc::default();
    let staged = async || {
        let target = path_lookup::target(&PathRoot::default(), &path).expect("it can be reached");
        let mut staged = Staged::create(target, 0o600, &shared).await.expect("it can be created");
        staged.write(b"new").await.expect("it can be written");
        vec![(staged, CommitFile::default())]
    };
    let waiters = CancelFlag::default();
    drop(waiters.waiting());
    assert_eq!(commit::commit(staged().await, &waiters), Err(SystemErrorKind::Cancelled));
    assert!(names(dir.path()).is_empty());
    assert_eq!(commit::commit(staged().await, &CancelFlag::default()), Ok(vec![Ok(())]));
    assert_eq!(names(dir.path()), ["a"]);
}
