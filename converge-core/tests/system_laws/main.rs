//! Laws of files that every system keeps: the local one in a temporary directory, and the model host.
//!
//! The table of laws holds for both. Random runs must give both the same answers and leave the same files.
#![cfg(feature = "testing")]
#![expect(clippy::expect_used, reason = "a test")]

mod directories;
mod op;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use converge_core::system::{
    CommitFile, FileKind, Follow, LocalSystem, Metadata, ModelSystem, Ownership, ReadAt, System, SystemError,
    SystemErrorKind, WriteFile,
};
use proptest::prelude::*;

use op::{Answer, Op};

use Answer::{Done, Entries, Failed, Known, Nothing, Target, Text};
use Follow::{Links, Never};

/// A directory of the test, and the system that contains it.
///
/// Links may lead out of `root`, but not out of `top`.
struct Place<'a> {
    system: &'a dyn System,
    top: &'a Path,
    root: &'a Path,
}

impl Place<'_> {
    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() {
            PathBuf::new()
        } else {
            PathBuf::from(format!("{}/{path}", self.root.display()))
        }
    }

    async fn run(&self, op: &Op) -> Result<Answer, SystemError> {
        let files = self.system.files();
        let nothing = |()| Done;
        match *op {
            Op::Metadata(path, follow) => {
                Ok(files.metadata(&self.at(path), follow).await?.map_or(Nothing, |metadata| known(&metadata)))
            }
            Op::Read(path) => Ok(files.read(&self.at(path)).await?.map_or(Nothing, |file| {
                assert_eq!(file.metadata.len, file.bytes.len() as u64);
                Text(String::from_utf8_lossy(&file.bytes).into_owned())
            })),
            Op::Write { path, content, mode, uid, gid } => {
                let ownership = Ownership { uid, gid };
                let write = WriteFile { mode, ownership, ..WriteFile::new(content.as_bytes()) };
                files.write(&self.at(path), write).await.map(nothing)
            }
            Op::Stage { path, content, mode, modified, commit } => {
                let mut staged = files.stage(&self.at(path)).await?;
                let (first, second) = content.split_at(content.len() / 2);
                staged.write(first.as_bytes()).await?;
                staged.write(second.as_bytes()).await?;
                if !commit {
                    return Ok(Done);
                }
                let modified = modified.map(at_second);
                staged.commit(CommitFile { mode, modified, ..CommitFile::default() }).await.map(nothing)
            }
            Op::WriteInPlace(path, content) => {
                files.write_in_place(&self.at(path), content.as_bytes()).await.map(nothing)
            }
            Op::ReadAt(path) => match files.open(&self.at(path)).await? {
                Some(file) => Ok(Text(read_pieces(&*file).await?)),
                None => Ok(Nothing),
            },
            Op::Modified(path) => {
                let metadata = files.metadata(&self.at(path), Links).await?;
                Ok(metadata.and_then(|metadata| metadata.modified).map_or(Nothing, Answer::Modified))
            }
            Op::CreateDir(path, mode) => files.create_dir(&self.at(path), mode).await.map(nothing),
            Op::SyncDir(path) => files.sync_dir(&self.at(path)).await.map(nothing),
            Op::ReadDir(path) => {
                let entries = files.read_dir(&self.at(path)).await?;
                Ok(Entries(entries.into_iter().map(|entry| (self.below(&entry.path), entry.kind)).collect()))
            }
            Op::SetMode(path, mode) => files.set_mode(&self.at(path), mode).await.map(nothing),
            Op::SetOwnership { path, uid, gid, follow } => {
                files.set_ownership(&self.at(path), Ownership { uid, gid }, follow).await.map(nothing)
            }
            Op::ReadLink(path) => Ok(files
                .read_link(&self.at(path))
                .await?
                .map_or(Nothing, |target| Target(self.below(&target)))),
            Op::Symlink { path, target } => files.symlink(target.as_ref(), &self.at(path)).await.map(nothing),
            Op::AbsoluteSymlink { path, target } => {
                files.symlink(&self.at(target), &self.at(path)).await.map(nothing)
            }
            Op::HardLink { existing, path } => {
                files.hard_link(&self.at(existing), &self.at(path)).await.map(nothing)
            }
            Op::IsSame(one, other) => {
                let first_inode = files.inode(&self.at(one), Never).await?;
                let second_inode = files.inode(&self.at(other), Never).await?;
                Ok(first_inode
                    .zip(second_inode)
                    .map_or(Nothing, |(one, other)| Text((one == other).to_string())))
            }
            Op::Rename { from, to } => files.rename(&self.at(from), &self.at(to)).await.map(nothing),
            Op::RemoveFile(path) => files.remove_file(&self.at(path)).await.map(nothing),
            Op::RemoveDir(path) => files.remove_dir(&self.at(path)).await.map(nothing),
        }
    }

    fn below(&self, path: &Path) -> PathBuf {
        path.strip_prefix(self.root).unwrap_or(path).to_owned()
    }

    /// Returns everything below the directory, read through the system itself.
    async fn snapshot(&self) -> Vec<(PathBuf, Answer, Answer)> {
        let files = self.system.files();
        let mut left = vec![self.top.to_owned()];
        let mut tree = Vec::new();
        while let Some(path) = left.pop() {
            let metadata = files.metadata(&path, Never).await.expect("it can be seen").expect("it is there");
            let content = match metadata.kind {
                FileKind::Directory => {
                    let entries = files.read_dir(&path).await.expect("it can be listed");
                    left.extend(entries.into_iter().map(|entry| entry.path));
                    Nothing
                }
                FileKind::Symlink => {
                    Target(files.read_link(&path).await.expect("it can be read").expect("it is there"))
                }
                _ => {
                    let file = files.read(&path).await.expect("it can be read").expect("it is there");
                    Text(format!("{} names: {}", metadata.links, String::from_utf8_lossy(&file.bytes)))
                }
            };
            tree.push((self.below(&path), known(&metadata), content));
        }
        tree.sort_by(|a, b| a.0.cmp(&b.0));
        tree
    }
}

fn at_second(second: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(second)
}

async fn read_pieces(file: &dyn ReadAt) -> Result<String, SystemError> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 3];
        match file.read_at(bytes.len() as u64, &mut piece).await? {
            0 => break,
            count => bytes.extend(&piece[..count]),
        }
    }
    assert_eq!(file.metadata().len, bytes.len() as u64);
    assert_eq!(file.read_at(1 << 40, &mut [0]).await, Ok(0));
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn known(metadata: &Metadata) -> Answer {
    let Metadata { kind, mode, uid, gid, len, .. } = *metadata;
    // The length of a directory depends on the file system.
    let len = if kind == FileKind::Directory { 0 } else { len };
    // The user who runs the test counts as root, because the model host runs as root.
    let uid = if uid == nix::unistd::geteuid().as_raw() { 0 } else { uid };
    let gid = if gid == nix::unistd::getegid().as_raw() { 0 } else { gid };
    Known { kind, mode, uid, gid, len }
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// The depth of the test directory.
///
/// Each link of a test leads up by at most one directory, and no test has more links.
const DEPTH: usize = 20;

/// Returns the results of `test` on the local system and on the model host.
///
/// Both use a directory with the same path.
async fn on_both<T>(test: impl AsyncFn(Place<'_>) -> T) -> [T; 2] {
    let dir = tempfile::tempdir().expect("a directory");
    let top = &dir.path().join("top");
    let root = &(0..DEPTH).fold(top.clone(), |path, _| path.join("up"));
    let model = ModelSystem::new().with_dir(dir.path());
    let systems: [&dyn System; 2] = [&LocalSystem::new(), &model];
    let answers = systems.map(async |system| {
        for path in root.ancestors().take(DEPTH + 1).collect::<Vec<_>>().into_iter().rev() {
            system.files().create_dir(path, 0o755).await.expect("it can be made");
        }
        test(Place { system, top, root }).await
    });
    let [local, model] = answers;
    [local.await, model.await]
}

/// Checks the answer to `op` on both systems, after the operations in `before`, which must succeed.
async fn check(before: &[Op], op: Op, expect: Answer) {
    let answers = on_both(async |place| {
        for op in before {
            assert_eq!(place.run(op).await, Ok(Done), "{op:?}");
        }
        place.run(&op).await.unwrap_or_else(|error| Failed(error.kind))
    });
    let [local, model] = answers.await;
    assert_eq!(local, expect, "the local system: {before:?} {op:?}");
    assert_eq!(model, expect, "the model: {before:?} {op:?}");
}

const fn write(path: &'static str, content: &'static str) -> Op {
    Op::Write { path, content, mode: None, uid: None, gid: None }
}

const fn stage(path: &'static str, content: &'static str) -> Op {
    Op::Stage { path, content, mode: None, modified: None, commit: true }
}

const fn write_mode(path: &'static str, mode: u32) -> Op {
    Op::Write { path, content: "x", mode: Some(mode), uid: None, gid: None }
}

const fn link(path: &'static str, target: &'static str) -> Op {
    Op::Symlink { path, target }
}

const fn known_file(mode: u32, len: u64) -> Answer {
    Known { kind: FileKind::File, mode, uid: 0, gid: 0, len }
}

#[tokio::test]
async fn what_is_not_there() {
    let file = [write("file", "x")];
    for path in ["none", "none/none", "file/none", "file/", ""] {
        check(&file, Op::Metadata(path, Links), Nothing).await;
        check(&file, Op::Metadata(path, Never), Nothing).await;
        check(&file, Op::Read(path), Nothing).await;
        check(&file, Op::ReadAt(path), Nothing).await;
        check(&file, Op::ReadLink(path), Nothing).await;
    }
    for op in [
        Op::SetMode("none", 0o600),
        Op::SetOwnership { path: "none", uid: None, gid: None, follow: Links },
        Op::ReadDir("none"),
        Op::SyncDir("none"),
        Op::RemoveFile("none"),
        Op::RemoveDir("none"),
        Op::Rename { from: "none", to: "new" },
        write("none/new", "x"),
        stage("none/new", "x"),
        stage("none/", "x"),
        write("none/", "x"),
        write("none/.", "x"),
        write("", "x"),
        Op::CreateDir("none/new", 0o755),
        link("none/new", "file"),
        link("new", ""),
    ] {
        check(&file, op, Failed(SystemErrorKind::NotFound)).await;
    }
    for op in [
        Op::SetMode("file/none", 0o600),
        Op::ReadDir("file"),
        Op::SyncDir("file"),
        Op::RemoveDir("file"),
        Op::RemoveFile("file/"),
        Op::Rename { from: "file", to: "file/new" },
        write("file/new", "x"),
        write("file/", "x"),
        Op::CreateDir("file/new", 0o755),
    ] {
        check(&file, op, Failed(SystemErrorKind::NotADirectory)).await;
    }
}

#[tokio::test]
async fn what_is_something_else() {
    let before = [Op::CreateDir("dir", 0o755), write("dir/file", "x"), Op::CreateDir("empty", 0o755)];
    for (op, kind) in [
        (Op::Read("dir"), SystemErrorKind::IsADirectory),
        (Op::ReadAt("dir"), SystemErrorKind::IsADirectory),
        (stage("dir", "x"), SystemErrorKind::IsADirectory),
        (write("dir", "x"), SystemErrorKind::IsADirectory),
        (write("dir/..", "x"), SystemErrorKind::IsADirectory),
        (Op::RemoveFile("dir"), SystemErrorKind::IsADirectory),
        (Op::Rename { from: "dir/file", to: "empty" }, SystemErrorKind::IsADirectory),
        (Op::Rename { from: "empty", to: "dir/file" }, SystemErrorKind::NotADirectory),
        (Op::Rename { from: "empty", to: "dir" }, SystemErrorKind::NotEmpty),
        (Op::Rename { from: "dir/file", to: "dir" }, SystemErrorKind::NotEmpty),
        (Op::Rename { from: "dir", to: "dir/new" }, SystemErrorKind::InvalidPath),
        (Op::RemoveDir("dir"), SystemErrorKind::NotEmpty),
        (Op::CreateDir("empty", 0o755), SystemErrorKind::AlreadyExists),
        (link("empty", "dir"), SystemErrorKind::AlreadyExists),
        (Op::ReadLink("dir"), SystemErrorKind::InvalidPath),
    ] {
        check(&before, op, Failed(kind)).await;
    }
}

#[tokio::test]
async fn modes() {
    check(&[write("new", "12345")], Op::Metadata("new", Links), known_file(0o600, 5)).await;
    for mode in [0o000, 0o644, 0o666, 0o4755, 0o2755, 0o7777] {
        check(&[write_mode("new", mode)], Op::Metadata("new", Links), known_file(mode, 1)).await;
        let operations = [write("new", ""), Op::SetMode("new", mode), write("new", "kept")];
        check(&operations, Op::Metadata("new", Links), known_file(mode, 4)).await;
        let changed = [write("new", ""), write_mode("new", mode)];
        check(&changed, Op::Metadata("new", Links), known_file(mode, 1)).await;
        let directory = Known { kind: FileKind::Directory, mode, uid: 0, gid: 0, len: 0 };
        check(&[Op::CreateDir("new", mode)], Op::Metadata("new", Links), directory).await;
    }
}

#[tokio::test]
async fn files_that_are_written_piece_by_piece() {
    let abandoned = Op::Stage { path: "new", content: "long", mode: None, modified: None, commit: false };
    check(std::slice::from_ref(&abandoned), Op::ReadDir("."), Entries(Vec::new())).await;
    check(&[write("new", "old"), abandoned], Op::Read("new"), Text("old".into())).await;
    for before in [vec![], vec![write("new", "the old one")], vec![link("new", "target")]] {
        let staged = [before, vec![stage("new", "content")]].concat();
        check(&staged, Op::Read("new"), Text("content".into())).await;
        check(&staged, Op::ReadAt("new"), Text("content".into())).await;
        check(&staged, Op::Metadata("new", Links), known_file(0o600, 7)).await;
    }
    let operations = [write_mode("new", 0o4755), stage("new", "content")];
    check(&operations, Op::Metadata("new", Links), known_file(0o4755, 7)).await;
    for mode in [0o000, 0o644, 0o7777] {
        let operation =
            Op::Stage { path: "new", content: "x", mode: Some(mode), modified: Some(12), commit: true };
        check(std::slice::from_ref(&operation), Op::Metadata("new", Links), known_file(mode, 1)).await;
        let dated = [write("new", "y"), operation];
        check(&dated, Op::Modified("new"), Answer::Modified(at_second(12))).await;
    }
}

#[tokio::test]
async fn a_file_that_is_open_stays_the_same() {
    let actual = on_both(async |place| {
        let path = place.at("file");
        place.run(&write("file", "before")).await.expect("it can be written");
        let open = place.system.files().open(&path).await.expect("it can be opened").expect("it is there");
        place.run(&write("file", "after")).await.expect("it can be written");
        read_pieces(&*open).await
    });
    assert_eq!(actual.await, [Ok("before".into()), Ok("before".into())]);
}

#[tokio::test]
async fn scratch_files_have_no_place() {
    let actual = on_both(async |place| {
        let mut scratch = place.system.files().scratch().await.expect("it can be created");
        scratch.write(b"some ").await.expect("it can be written");
        scratch.write(b"bytes").await.expect("it can be written");
        let read = scratch.read().await.expect("it can be read");
        (read_pieces(&*read).await, place.snapshot().await.len())
    });
    let [local, model] = actual.await;
    assert_eq!(local, (Ok("some bytes".into()), DEPTH + 1));
    assert_eq!(model, local);
}

#[tokio::test]
async fn owners() {
    if !is_root() {
        return;
    }
    let set_owner = |path, uid, gid, follow| Op::SetOwnership { path, uid, gid, follow };
    let known_with = |mode, uid, gid| Known { kind: FileKind::File, mode, uid, gid, len: 1 };
    let query = Op::Metadata("file", Links);
    let operation =
        Op::Write { path: "file", content: "x", mode: Some(0o4755), uid: Some(12), gid: Some(34) };
    check(std::slice::from_ref(&operation), query.clone(), known_with(0o4755, 12, 34)).await;
    check(&[operation.clone(), write("file", "y")], query.clone(), known_with(0o4755, 12, 34)).await;
    check(
        &[operation.clone(), set_owner("file", None, Some(56), Links)],
        query.clone(),
        known_with(0o755, 12, 56),
    )
    .await;
    let through_link = [operation.clone(), link("link", "file"), set_owner("link", Some(7), None, Links)];
    check(&through_link, query.clone(), known_with(0o755, 7, 34)).await;
    let of_link = [operation, link("link", "file"), set_owner("link", Some(7), None, Never)];
    check(&of_link, query, known_with(0o4755, 12, 34)).await;
    let link = Known { kind: FileKind::Symlink, mode: 0o777, uid: 7, gid: 0, len: 4 };
    check(&of_link, Op::Metadata("link", Never), link).await;
    let shared =
        [Op::CreateDir("dir", 0o2755), set_owner("dir", None, Some(9), Links), write("dir/file", "x")];
    check(&shared, Op::Metadata("dir/file", Links), known_with(0o600, 0, 9)).await;
}

#[tokio::test]
async fn links() {
    let looking = [write("file", "x"), link("link", "file")];
    check(&looking, Op::Read("link"), Text("x".to_owned())).await;
    check(&looking, Op::ReadLink("link"), Target("file".into())).await;
    check(&looking, Op::Metadata("link", Links), known_file(0o600, 1)).await;

    // A write follows links, even a link to a path that does not exist yet.
    for before in [
        vec![write("file", "x"), link("link", "file")],
        vec![Op::AbsoluteSymlink { path: "link", target: "file" }],
        vec![link("middle", "file"), link("link", "./middle")],
        vec![Op::CreateDir("dir", 0o755), link("dir/middle", "../file"), link("link", "dir/middle")],
        vec![Op::CreateDir("dir", 0o755), link("away", "dir"), link("link", "away/../file")],
    ] {
        let operations = [before.clone(), vec![write("link", "new")]].concat();
        check(&operations, Op::Read("file"), Text("new".to_owned())).await;
        let removed = [operations, vec![Op::RemoveFile("link")]].concat();
        check(&removed, Op::Read("file"), Text("new".to_owned())).await;
    }
    check(&[link("link", "none/file")], write("link", "x"), Failed(SystemErrorKind::NotFound)).await;
    let dir = [Op::CreateDir("dir", 0o755), link("link", "dir")];
    check(&dir, write("link", "x"), Failed(SystemErrorKind::IsADirectory)).await;
    check(&dir, Op::RemoveDir("link"), Failed(SystemErrorKind::NotADirectory)).await;

    let circle = [link("a", "b"), link("b", "a")];
    for op in [Op::Read("a"), Op::Metadata("a", Links), write("a", "x"), Op::ReadDir("a"), Op::Read("a/x")] {
        check(&circle, op, Failed(SystemErrorKind::LinkLoop)).await;
    }
    // Removing a link never removes its target, and a link is not a directory.
    for before in [
        &circle[..],
        &[Op::CreateDir("dir", 0o755), link("a", "dir")],
        &[write("file", "x"), link("a", "file")],
    ] {
        check(before, Op::RemoveFile("a/"), Failed(SystemErrorKind::NotADirectory)).await;
        check(before, Op::RemoveDir("a/"), Failed(SystemErrorKind::NotADirectory)).await;
        check(before, Op::RemoveFile("a"), Done).await;
    }
}

#[tokio::test]
async fn names_of_one_file() {
    let linked = [write("file", "x"), Op::HardLink { existing: "file", path: "name" }];
    let after = |more: &[Op]| [&linked[..], more].concat();
    check(&linked, Op::IsSame("file", "name"), Text("true".into())).await;
    check(&linked, Op::IsSame("file", "none"), Nothing).await;
    check(&after(&[write("copy", "x")]), Op::IsSame("file", "copy"), Text("false".into())).await;
    // An in-place change affects all names of a file, and a replacement only one.
    check(&after(&[Op::WriteInPlace("name", "y")]), Op::Read("file"), Text("y".into())).await;
    check(&after(&[Op::SetMode("name", 0o640)]), Op::Metadata("file", Links), known_file(0o640, 1)).await;
    check(&after(&[write("name", "y")]), Op::Read("file"), Text("x".into())).await;
    check(&after(&[write("name", "y")]), Op::IsSame("file", "name"), Text("false".into())).await;
    check(&after(&[Op::RemoveFile("file")]), Op::Read("name"), Text("x".into())).await;
    // A rename between two names of one file does nothing.
    let renamed = after(&[Op::Rename { from: "file", to: "name" }]);
    check(&renamed, Op::IsSame("file", "name"), Text("true".into())).await;
    let moved = after(&[Op::Rename { from: "file", to: "other" }]);
    check(&moved, Op::IsSame("other", "name"), Text("true".into())).await;

    let before = [write("file", "x"), Op::CreateDir("dir", 0o755), link("link", "file")];
    for (existing, path, kind) in [
        ("none", "new", SystemErrorKind::NotFound),
        ("file/x", "new", SystemErrorKind::NotADirectory),
        ("file/", "new", SystemErrorKind::NotADirectory),
        ("", "new", SystemErrorKind::NotFound),
        ("dir", "new", SystemErrorKind::IsADirectory),
        ("link", "new", SystemErrorKind::InvalidPath),
        ("file", "dir", SystemErrorKind::AlreadyExists),
        ("file", "link", SystemErrorKind::AlreadyExists),
        ("file", "file", SystemErrorKind::AlreadyExists),
        ("file", "none/new", SystemErrorKind::NotFound),
        ("file", "new/", SystemErrorKind::NotFound),
        ("file", ".converge-tmp.0123456789abcdef01234567", SystemErrorKind::ReservedName),
    ] {
        check(&before, Op::HardLink { existing, path }, Failed(kind)).await;
    }
}

/// A name in a directory that everybody can write to is refused if it may be a foreign hard link.
///
/// Its file is neither changed nor given another name.
#[tokio::test]
async fn names_in_a_place_of_all() {
    let before = [
        write_mode("file", 0o600),
        Op::CreateDir("all", 0o1777),
        Op::HardLink { existing: "file", path: "all/name" },
    ];
    for op in [
        Op::Read("all/name"),
        Op::SetMode("all/name", 0o644),
        Op::WriteInPlace("all/name", "y"),
        Op::HardLink { existing: "all/name", path: "new" },
    ] {
        let answers = on_both(async |place| {
            for op in &before {
                assert_eq!(place.run(op).await, Ok(Done), "{op:?}");
            }
            place.run(&op).await.map_err(|error| error.kind)
        });
        for answer in answers.await {
            assert!(matches!(answer, Err(SystemErrorKind::ForeignName(_))), "{op:?}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn lists_are_sorted() {
    let before = [write("b", ""), Op::CreateDir("c", 0o755), write("c/inner", ""), link("a", "b")];
    let names = [("a", FileKind::Symlink), ("b", FileKind::File), ("c", FileKind::Directory)];
    let entries = |names: &[(&str, FileKind)]| {
        Entries(names.iter().map(|(name, kind)| (PathBuf::from(name), *kind)).collect())
    };
    check(&before, Op::ReadDir("."), entries(&names)).await;
    check(&before, Op::SyncDir("c"), Done).await;
    check(&before, Op::ReadDir("c"), entries(&[("c/inner", FileKind::File)])).await;
}

#[tokio::test]
async fn renames() {
    let before = [Op::CreateDir("dir", 0o755), write("dir/file", "x"), write("other", "y")];
    for (op, path, expect) in [
        (Op::Rename { from: "dir/file", to: "other" }, "other", Text("x".to_owned())),
        (Op::Rename { from: "dir/file", to: "other" }, "dir/file", Nothing),
        (Op::Rename { from: "dir", to: "new" }, "new/file", Text("x".to_owned())),
        (Op::Rename { from: "dir", to: "dir" }, "dir/file", Text("x".to_owned())),
    ] {
        let after = [before.as_slice(), &[op]].concat();
        check(&after, Op::Read(path), expect).await;
    }
}

const PATHS: [&str; 16] = [
    "a", "b", "c", "a/a", "a/b", "b/a", "b/b", "c/a", "c/b", "a/b/c", "a/../b", "b/../c", "c/./a", "a/",
    "b/", "a/a/a/a",
];

fn ops() -> impl Strategy<Value = Op> {
    let path = || prop::sample::select(&PATHS[..]);
    let target = prop::sample::select(&["a", "b", "c", "../a", "../b", "a/b", "./c", "..", ".", "a/"][..]);
    let follow = || prop::sample::select(&[Links, Never][..]);
    let modes: &[u32] = &[0o600, 0o644, 0o755, 0o700, 0o2755, 0o4755, 0o6711, 0o2744, 0o1777, 0o000];
    let minimum = if is_root() { 0 } else { 0o700 };
    let mode = || prop::sample::select(modes).prop_map(move |mode| mode | minimum);
    let ids: &[Option<u32>] = if is_root() { &[None, Some(0), Some(1), Some(1234)] } else { &[None] };
    let id = || prop::sample::select(ids);
    let content = || prop::sample::select(&["", "x", "longer"][..]);
    prop_oneof![
        1 => (path(), follow()).prop_map(|(path, follow)| Op::Metadata(path, follow)),
        1 => path().prop_map(Op::Read),
        1 => path().prop_map(Op::ReadDir),
        1 => path().prop_map(Op::ReadLink),
        4 => (path(), content(), prop::option::of(mode()), id(), id())
            .prop_map(|(path, content, mode, uid, gid)| Op::Write { path, content, mode, uid, gid }),
        2 => (path(), content(), prop::option::of(mode()), any::<bool>())
            .prop_map(|(path, content, mode, commit)| Op::Stage { path, content, mode, modified: None, commit }),
        2 => (path(), content()).prop_map(|(path, content)| Op::WriteInPlace(path, content)),
        1 => path().prop_map(Op::ReadAt),
        4 => (path(), mode()).prop_map(|(path, mode)| Op::CreateDir(path, mode)),
        1 => (path(), mode()).prop_map(|(path, mode)| Op::SetMode(path, mode)),
        1 => (path(), id(), id(), follow())
            .prop_map(|(path, uid, gid, follow)| Op::SetOwnership { path, uid, gid, follow }),
        3 => (path(), target).prop_map(|(path, target)| Op::Symlink { path, target }),
        1 => (path(), path()).prop_map(|(path, target)| Op::AbsoluteSymlink { path, target }),
        3 => (path(), path()).prop_map(|(existing, path)| Op::HardLink { existing, path }),
        1 => (path(), path()).prop_map(|(one, other)| Op::IsSame(one, other)),
        3 => (path(), path()).prop_map(|(from, to)| Op::Rename { from, to }),
        1 => path().prop_map(Op::RemoveFile),
        1 => path().prop_map(Op::RemoveDir),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_model_is_like_the_machine(ops in prop::collection::vec(ops(), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let [local, model] = runtime.block_on(on_both(async |place| {
            // The record contains all answers and the final files, each line with its operation.
            let mut story = Vec::new();
            for op in &ops {
                story.push(format!("{op:?}: {:?}", place.run(op).await));
            }
            story.extend(place.snapshot().await.iter().map(|entry| format!("{entry:?}")));
            story
        }));
        for (index, (local, model)) in local.iter().zip(&model).enumerate() {
            assert_eq!(local, model, "local is left, after {:?}", &ops[..index.min(ops.len())]);
        }
        assert_eq!(local.len(), model.len(), "as many files");
    }
}
