//! What only the local system can get wrong: leftovers, hangs and the umask. What every system must do is
//! in `tests/system_laws.rs`.

use std::path::Path;

use super::temporary::Temporary;
use super::*;
use crate::system::{LocalSystem, System, SystemErrorKind};

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

async fn write(path: &Path, content: &[u8]) -> Result<(), SystemErrorKind> {
    let local = LocalSystem::new();
    local.files().write(path, WriteFile::new(content)).await.map_err(|error| error.kind)
}

#[tokio::test]
async fn a_leftover_is_removed_by_the_next_write() {
    let dir = dir();
    fs::write(dir.path().join(".a.converge-tmp"), "half").expect("it can be written");
    write(&dir.path().join("a"), b"whole").await.expect("it can be written");
    assert_eq!(names(dir.path()), ["a"]);
}

#[tokio::test]
async fn two_writers_of_one_target_do_not_meet() {
    let dir = dir();
    let target = dir.path().join("a");
    let mut first = Temporary::create(&target, 0o600).expect("the usual name");
    write(&target, b"second").await.expect("it can be written");
    assert_eq!(fs::read(&target).expect("it is there"), b"second");
    std::io::Write::write_all(first.file(), b"first").expect("it can be written");
    first.rename(&target).expect("it still has its name");
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
                    super::write::write(target, WriteFile::new(&content)).expect("it can be written");
                    let seen = super::read::read(target).expect("it can be read").expect("it is there");
                    assert_eq!(seen.bytes.len(), 10_000);
                    assert!(seen.bytes.iter().all(|byte| *byte == seen.bytes[0]), "one writer's bytes");
                }
            });
        }
    });
    assert_eq!(names(dir.path()), ["a"]);
}

#[tokio::test]
async fn what_has_the_temporary_name_and_is_not_ours_stays() {
    let dir = dir();
    let target = dir.path().join("a");
    let taken = dir.path().join(".a.converge-tmp");
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, "kept").expect("it can be written");
    std::os::unix::fs::symlink(&elsewhere, &taken).expect("a link");
    write(&target, b"whole").await.expect("it can be written");
    assert_eq!(fs::read(&elsewhere).expect("it is there"), b"kept");
    assert_eq!(names(dir.path()), [".a.converge-tmp", "a", "elsewhere"]);
}

#[tokio::test]
async fn a_failed_write_leaves_nothing() {
    let dir = dir();
    // A directory appears in the place of the target once the temporary file is there.
    let target = dir.path().join("a");
    let temporary = Temporary::create(&target, 0o600).expect("it can be created");
    fs::create_dir(&target).expect("it can be created");
    temporary.rename(&target).expect_err("a file cannot replace a directory");
    assert_eq!(names(dir.path()), ["a"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_without_a_name_leaves_nothing_and_replaces_nothing() {
    let dir = dir();
    let target = dir.path().join("a");
    let Some(file) = unnamed::create(dir.path(), 0o600) else { return };
    assert!(names(dir.path()).is_empty());
    fs::write(&target, "came first").expect("it can be written");
    assert!(!unnamed::link(&file, &target));
    assert_eq!(fs::read(&target).expect("it is there"), b"came first");
    assert!(unnamed::link(&file, &dir.path().join("b")));
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
    for path in [&*pipe, Path::new("/dev/null")] {
        let read = LocalSystem::new().files().read(path).await.map_err(|error| error.kind);
        assert_eq!(read, Err(SystemErrorKind::NotAFile), "{}", path.display());
        assert_eq!(write(path, b"x").await, Err(SystemErrorKind::NotAFile), "{}", path.display());
    }
}

#[tokio::test]
async fn files_of_the_kernel_are_read_whole() {
    let path = Path::new("/proc/self/status");
    let read = LocalSystem::new().files().read(path).await.expect("it can be read").expect("it is there");
    assert_eq!(read.metadata.len, 0);
    assert!(read.bytes.starts_with(b"Name:"), "{}", String::from_utf8_lossy(&read.bytes));
}
