//! Tests of in-place writes and temporary folders that need a real machine.
#![cfg(target_os = "linux")]
#![expect(
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test, which looks at the machine from outside"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use converge_core::system::{
    Command, Files, LocalSystem, OutputLines, SpecialFile, System, SystemError, SystemErrorKind, TempDir,
};
use rustix::fs::{Mode, OFlags};

fn kind<T>(result: Result<T, SystemError>) -> Option<SystemErrorKind> {
    result.err().map(|error| error.kind)
}

async fn write(path: impl AsRef<Path>, content: &[u8]) -> Result<(), SystemError> {
    LocalSystem::new().files().write_in_place(path.as_ref(), content).await
}

#[tokio::test]
async fn the_file_stays_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, other_name) = (folder.path().join("file"), folder.path().join("other name"));
    fs::write(&path, "a long content").expect("it is written");
    fs::hard_link(&path, &other_name).expect("it is linked");
    let before = fs::metadata(&path).expect("it is there");
    let large = vec![b'x'; 1_000_000];
    for content in [&b"short"[..], b"longer than that was, and than the first one", b"", &large, b"y"] {
        write(&path, content).await.expect("it is written");
        assert_eq!(fs::read(&other_name).expect("it is read"), content);
    }
    let after = fs::metadata(&path).expect("it is there");
    assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
}

/// Checks special files: an unread pipe must not block, and none may count as a regular file.
#[tokio::test]
async fn what_is_written_into() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let status = std::process::Command::new("mkfifo").arg(&pipe).status().expect("it starts");
    assert!(status.success());
    let listener = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).expect("a socket");
    let check = async |path: PathBuf, expect| {
        assert_eq!(kind(write(&path, b"x").await), expect, "{}", path.display());
    };
    check(pipe, Some(SystemErrorKind::NotAFile(SpecialFile::Pipe))).await;
    check(folder.path().join("socket"), Some(SystemErrorKind::NotAFile(SpecialFile::Socket))).await;
    drop(listener);
    check("/dev/null".into(), None).await;
    check("/dev/full".into(), Some(SystemErrorKind::NoSpace)).await;
    assert!(!folder.path().join("new").exists());
    check(folder.path().join("new"), Some(SystemErrorKind::NotFound)).await;
    assert!(!folder.path().join("new").exists());
    // A kernel file has no length and takes its value in one write; this one holds the name of this thread.
    let name = "/proc/thread-self/comm";
    if Path::new(name).exists() {
        write(name, b"in-place").await.expect("it is written");
        assert_eq!(fs::read_to_string(name).expect("it is read"), "in-place\n");
    }
}

#[tokio::test]
async fn a_limit_of_files_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("file"), "old").expect("it is written");
    let tenant = LocalSystem::builder().root(folder.path()).file_size_limit(4).build().expect("a system");
    let files: &dyn Files = tenant.files();
    assert_eq!(
        kind(files.write_in_place("/file".as_ref(), b"12345").await),
        Some(SystemErrorKind::FileTooLarge(4))
    );
    assert_eq!(fs::read(folder.path().join("file")).expect("it is read"), b"old");
    files.write_in_place("/../file".as_ref(), b"1234").await.expect("it is written");
    assert_eq!(fs::read(folder.path().join("file")).expect("it is read"), b"1234");
    symlink("/etc/hostname", folder.path().join("out")).expect("it is made");
    assert_eq!(kind(files.write_in_place("/out".as_ref(), b"x").await), Some(SystemErrorKind::NotFound));
}

async fn temp_dir() -> Box<dyn TempDir> {
    LocalSystem::new().files().temp_dir().await.expect("there is a place for it")
}

/// A temporary folder is removed whatever it contains and however deep.
///
/// No path to the content is followed.
#[tokio::test]
async fn a_folder_for_a_while_is_removed_with_all_that_is_in_it() {
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("kept"), "x").expect("it is written");
    let folder = temp_dir().await;
    let path = folder.path().to_owned();
    let mode = fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o700);
    symlink(outside.path(), path.join("link")).expect("it is made");
    // The tree is deeper than the limits on open files and on the length of a path.
    let mut directory = rustix::fs::open(&path, OFlags::RDONLY, Mode::empty()).expect("it can be opened");
    for _ in 0..3000 {
        rustix::fs::mkdirat(&directory, "0123456789", Mode::RWXU).expect("it is made");
        directory = rustix::fs::openat(&directory, "0123456789", OFlags::RDONLY, Mode::empty())
            .expect("it can be opened");
        rustix::fs::openat(&directory, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RWXU)
            .expect("it is made");
    }
    for name in ["a", "b", "c"] {
        fs::create_dir_all(path.join(name).join("x/y")).expect("it is made");
        fs::write(path.join(name).join("x/file"), "x").expect("it is written");
    }
    fs::set_permissions(path.join("a/x"), fs::Permissions::from_mode(0o000)).expect("it is changed");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o500)).expect("it is changed");
    if !nix::unistd::geteuid().is_root() {
        // Without write permission on the folder its content could not be removed, so the permission is
        // restored.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is changed");
    }
    folder.remove().await.expect("it is removed");
    assert!(!path.exists());
    assert!(outside.path().join("kept").exists());
}

#[tokio::test]
async fn a_folder_for_a_while_ends_with_its_task() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let cancelled = async {
        let folder = temp_dir().await;
        fs::write(folder.path().join("file"), "x").expect("it is written");
        sender.send(folder.path().to_owned()).expect("somebody listens");
        std::future::pending::<()>().await;
    };
    assert!(tokio::time::timeout(Duration::from_millis(20), cancelled).await.is_err());
    let path = receiver.recv().await.expect("it was made");
    assert!(!path.exists());
    // If somebody renames the folder, the renamed folder stays and nothing else of the old name is removed.
    let folder = temp_dir().await;
    let (path, moved) = (folder.path().to_owned(), folder.path().with_extension("moved"));
    fs::rename(&path, &moved).expect("it is renamed");
    fs::create_dir(&path).expect("it is made");
    fs::write(path.join("theirs"), "x").expect("it is written");
    drop(folder);
    assert!(path.join("theirs").exists());
    fs::remove_dir_all(&path).and_then(|()| fs::remove_dir_all(&moved)).expect("they are removed");
}

#[tokio::test]
async fn where_folders_for_a_while_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder_with = |name: &str, mode| {
        let path = folder.path().join(name);
        fs::create_dir(&path).expect("it is made");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is changed");
        path
    };
    let check = async |temporary: &Path, expect: &Path| {
        let system =
            LocalSystem::builder().env("TMPDIR", temporary.to_string_lossy()).build().expect("a system");
        let temporary_folder = system.files().temp_dir().await.expect("it is made");
        assert_eq!(temporary_folder.path().parent(), Some(expect), "{}", temporary.display());
    };
    let own_folder = folder_with("own", 0o700);
    check(&own_folder, &own_folder).await;
    let sticky = folder_with("sticky", 0o1777);
    check(&sticky, &sticky).await;
    // In an open directory somebody else could replace the folder.
    check(&folder_with("open", 0o777), Path::new("/tmp")).await;
    check(&folder.path().join("none"), Path::new("/tmp")).await;
    check(Path::new("relative"), Path::new("/tmp")).await;
    // The temporary folder of a tenant is below its root; the environment variable is ignored.
    let root = folder_with("root", 0o755);
    let tenant = LocalSystem::builder().root(&root).env("TMPDIR", "/own").build().expect("a system");
    assert_eq!(kind(tenant.files().temp_dir().await), Some(SystemErrorKind::NotFound));
    fs::create_dir(root.join("tmp")).expect("it is made");
    let temporary_folder = tenant.files().temp_dir().await.expect("it is made");
    assert!(
        temporary_folder.path().starts_with("/tmp")
            && root.join("tmp").read_dir().expect("it is listed").count() == 1
    );
    drop(temporary_folder);
    assert_eq!(root.join("tmp").read_dir().expect("it is listed").count(), 0);
}

/// A program that prints without end is throttled until its lines are read, and ends with the reader.
#[tokio::test]
async fn lines_of_a_program_that_does_not_end() {
    let system = LocalSystem::new();
    let folder = temp_dir().await;
    let pid = folder.path().join("pid");
    let script = format!("echo $$ > {}; exec yes", pid.display());
    let mut lines = OutputLines::new(system.processes(), Command::new("sh").args(["-c", &script]), 10);
    for _ in 0..100_000 {
        assert_eq!(lines.next().await.map(|line| line.bytes), Some(b"y".to_vec()));
    }
    let pid = fs::read_to_string(pid).expect("it is written");
    let process = PathBuf::from(format!("/proc/{}", pid.trim()));
    assert!(process.exists());
    drop(lines);
    // The process was killed; the kernel needs a moment to remove it.
    let state = || fs::read_to_string(process.join("status")).unwrap_or_default();
    while process.exists() && !state().contains("State:\tZ") {
        tokio::task::yield_now().await;
    }
}
