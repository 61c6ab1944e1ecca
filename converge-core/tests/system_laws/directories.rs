//! Laws of an open directory.

use std::path::{Path, PathBuf};

use converge_core::system::{CommitFile, Directory, FileKind, Ownership, SystemError, SystemErrorKind};
use proptest::prelude::*;

use crate::Answer::{self, Done, Entries, Failed, Known, Nothing, Target, Text};
use crate::{Op as FilesOp, Place, is_root, known, known_file, link, on_both, read_pieces, write};

/// An operation on the directory.
#[derive(Clone, Copy, Debug)]
enum Op {
    OwnMetadata,
    Entries,
    Sync,
    Metadata(&'static str),
    /// Returns the path of the opened directory, relative to the first one.
    OpenDir(&'static str),
    OpenBelow(&'static str),
    /// Opens a path below through a link that leads through the root of the file system.
    OpenBelowAbsolute(&'static str),
    Open(&'static str),
    ReadLink(&'static str),
    Stage {
        name: &'static str,
        content: &'static str,
        mode: Option<u32>,
    },
    CreateDir(&'static str, u32),
    Symlink {
        name: &'static str,
        target: &'static str,
    },
    /// Creates a hard link to a file below the directory, given by its path.
    HardLink {
        existing: &'static str,
        name: &'static str,
    },
    /// Whether two names refer to one file.
    IsSame(&'static str, &'static str),
    SetMode(&'static str, u32),
    SetOwnership {
        name: &'static str,
        uid: Option<u32>,
        gid: Option<u32>,
    },
    MayChange(&'static str),
    Rename {
        from: &'static str,
        to: &'static str,
    },
    RemoveFile(&'static str),
    RemoveDir(&'static str),
}

async fn run(directory: &dyn Directory, path: &Path, op: Op) -> Result<Answer, SystemError> {
    let nothing = |()| Done;
    let opened = |opened: Option<Box<dyn Directory>>| match opened {
        Some(opened) => Target(opened.path().strip_prefix(directory.path()).expect("it is in it").to_owned()),
        None => Nothing,
    };
    match op {
        Op::OwnMetadata => directory.own_metadata().await.map(|metadata| known(&metadata)),
        Op::Entries => {
            let entries = directory.entries().await?;
            Ok(Entries(entries.into_iter().map(|entry| (entry.name.into(), entry.kind)).collect()))
        }
        Op::Sync => directory.sync().await.map(nothing),
        Op::Metadata(name) => {
            Ok(directory.metadata(name.as_ref()).await?.map_or(Nothing, |metadata| known(&metadata)))
        }
        Op::OpenDir(name) => directory.open_dir(name.as_ref()).await.map(opened),
        Op::OpenBelow(below) => directory.open_below(below.as_ref()).await.map(opened),
        Op::OpenBelowAbsolute(below) => directory.open_below(&path.join(below)).await.map(opened),
        Op::Open(name) => match directory.open(name.as_ref()).await? {
            Some(file) => Ok(Text(read_pieces(&*file).await?)),
            None => Ok(Nothing),
        },
        Op::ReadLink(name) => Ok(directory.read_link(name.as_ref()).await?.map_or(Nothing, Target)),
        Op::Stage { name, content, mode } => {
            let mut staged = directory.stage(name.as_ref()).await?;
            staged.write(content.as_bytes()).await?;
            staged.commit(CommitFile { mode, ..CommitFile::default() }).await.map(nothing)
        }
        Op::CreateDir(name, mode) => directory.create_dir(name.as_ref(), mode).await.map(nothing),
        Op::Symlink { name, target } => directory.symlink(target.as_ref(), name.as_ref()).await.map(nothing),
        Op::HardLink { existing, name } => {
            directory.hard_link(&path.join(existing), name.as_ref()).await.map(nothing)
        }
        Op::IsSame(one, other) => {
            let (first, second) =
                (directory.inode(one.as_ref()).await?, directory.inode(other.as_ref()).await?);
            Ok(first.zip(second).map_or(Nothing, |(one, other)| Text((one == other).to_string())))
        }
        Op::SetMode(name, mode) => directory.set_mode(name.as_ref(), mode).await.map(nothing),
        Op::SetOwnership { name, uid, gid } => {
            directory.set_ownership(name.as_ref(), Ownership { uid, gid }).await.map(nothing)
        }
        Op::MayChange(name) => directory.may_change(name.as_ref()).await.map(nothing),
        Op::Rename { from, to } => directory.rename(from.as_ref(), to.as_ref()).await.map(nothing),
        Op::RemoveFile(name) => directory.remove_file(name.as_ref()).await.map(nothing),
        Op::RemoveDir(name) => directory.remove_dir(name.as_ref()).await.map(nothing),
    }
}

async fn open(place: &Place<'_>) -> Box<dyn Directory> {
    let opened = place.system.files().open_dir(&place.at("dir")).await;
    opened.expect("it can be opened").expect("it is there")
}

async fn prepare(place: &Place<'_>, before: &[FilesOp]) {
    for op in before {
        assert_eq!(place.run(op).await, Ok(Done), "{op:?}");
    }
}

/// Checks the answer to `op` in the directory `dir` with the content of [`tree`], on both systems.
async fn check(op: Op, expect: Answer) {
    check_after(&[], op, expect).await;
}

/// Like `check`, after the operations in `first`, which must succeed.
async fn check_after(first: &[Op], op: Op, expect: Answer) {
    let answers = on_both(async |place| {
        prepare(&place, &tree()).await;
        let directory = open(&place).await;
        for op in first {
            assert_eq!(run(&*directory, &place.at("dir"), *op).await, Ok(Done), "{op:?}");
        }
        run(&*directory, &place.at("dir"), op).await.unwrap_or_else(|error| Failed(error.kind))
    });
    let [local, model] = answers.await;
    assert_eq!(local, expect, "the local system: {first:?} {op:?}");
    assert_eq!(model, expect, "the model: {first:?} {op:?}");
}

fn tree() -> Vec<FilesOp> {
    vec![
        FilesOp::CreateDir("dir", 0o750),
        FilesOp::CreateDir("outside", 0o755),
        write("dir/file", "content"),
        FilesOp::CreateDir("dir/sub", 0o755),
        FilesOp::CreateDir("dir/sub/deep", 0o755),
        write("dir/sub/file", "x"),
        link("dir/to-file", "file"),
        link("dir/to-sub", "sub/../sub"),
        link("dir/in-again", "../dir/sub"),
        link("dir/out", "../outside"),
        link("dir/out-by-two", "sub/up"),
        link("dir/sub/up", "../.."),
        link("dir/nowhere", "none"),
        link("dir/circle", "circle"),
    ]
}

#[tokio::test]
async fn names_are_those_of_entries() {
    for name in ["", ".", "..", "sub/file", "/", "file/"] {
        for op in [
            Op::Metadata(name),
            Op::OpenDir(name),
            Op::Open(name),
            Op::ReadLink(name),
            Op::Stage { name, content: "x", mode: None },
            Op::CreateDir(name, 0o755),
            Op::Symlink { name, target: "file" },
            Op::HardLink { existing: "file", name },
            Op::IsSame(name, "file"),
            Op::SetMode(name, 0o600),
            Op::SetOwnership { name, uid: None, gid: None },
            Op::MayChange(name),
            Op::Rename { from: name, to: "new" },
            Op::Rename { from: "file", to: name },
            Op::RemoveFile(name),
            Op::RemoveDir(name),
        ] {
            check(op, Failed(SystemErrorKind::InvalidPath)).await;
        }
    }
    let name = ".converge-tmp.0123456789abcdef01234567";
    for op in [
        Op::Stage { name, content: "x", mode: None },
        Op::CreateDir(name, 0o755),
        Op::Symlink { name, target: "file" },
        Op::HardLink { existing: "file", name },
        Op::Rename { from: "file", to: name },
    ] {
        check(op, Failed(SystemErrorKind::ReservedName)).await;
    }
}

#[tokio::test]
async fn what_is_not_there() {
    for op in [
        Op::Metadata("none"),
        Op::OpenDir("none"),
        Op::OpenBelow("none"),
        Op::OpenBelow("none/none"),
        Op::OpenBelow("nowhere"),
        Op::OpenBelow(""),
        Op::Open("none"),
        Op::ReadLink("none"),
    ] {
        check(op, Nothing).await;
    }
    for op in [
        Op::SetMode("none", 0o600),
        Op::SetOwnership { name: "none", uid: None, gid: None },
        Op::MayChange("none"),
        Op::Rename { from: "none", to: "new" },
        Op::RemoveFile("none"),
        Op::RemoveDir("none"),
    ] {
        check(op, Failed(SystemErrorKind::NotFound)).await;
    }
}

#[tokio::test]
async fn what_is_something_else() {
    for (op, kind) in [
        (Op::OpenDir("file"), SystemErrorKind::NotADirectory),
        (Op::OpenDir("to-sub"), SystemErrorKind::NotADirectory),
        (Op::OpenBelow("file"), SystemErrorKind::NotADirectory),
        (Op::OpenBelow("to-file"), SystemErrorKind::NotADirectory),
        (Op::OpenBelow("file/none"), SystemErrorKind::NotADirectory),
        (Op::Open("sub"), SystemErrorKind::IsADirectory),
        (Op::Open("to-file"), SystemErrorKind::InvalidPath),
        (Op::ReadLink("file"), SystemErrorKind::InvalidPath),
        (Op::SetMode("to-file", 0o600), SystemErrorKind::InvalidPath),
        (Op::Stage { name: "sub", content: "x", mode: None }, SystemErrorKind::IsADirectory),
        (Op::CreateDir("file", 0o755), SystemErrorKind::AlreadyExists),
        (Op::CreateDir("to-sub", 0o755), SystemErrorKind::AlreadyExists),
        (Op::Symlink { name: "nowhere", target: "file" }, SystemErrorKind::AlreadyExists),
        (Op::Rename { from: "file", to: "sub" }, SystemErrorKind::IsADirectory),
        (Op::Rename { from: "sub", to: "file" }, SystemErrorKind::NotADirectory),
        (Op::RemoveFile("sub"), SystemErrorKind::IsADirectory),
        (Op::RemoveDir("file"), SystemErrorKind::NotADirectory),
        (Op::RemoveDir("to-sub"), SystemErrorKind::NotADirectory),
        (Op::RemoveDir("sub"), SystemErrorKind::NotEmpty),
    ] {
        check(op, Failed(kind)).await;
    }
}

#[tokio::test]
async fn what_is_there() {
    let directory = |mode| Known { kind: FileKind::Directory, mode, uid: 0, gid: 0, len: 0 };
    check(Op::OwnMetadata, directory(0o750)).await;
    check(Op::Sync, Done).await;
    for name in ["file", "sub", "to-file", "nowhere"] {
        check(Op::MayChange(name), Done).await;
    }
    check(Op::Metadata("sub"), directory(0o755)).await;
    check(Op::Metadata("file"), known_file(0o600, 7)).await;
    check(Op::Open("file"), Text("content".into())).await;
    check(Op::OpenDir("sub"), Target("sub".into())).await;
    check(Op::ReadLink("nowhere"), Target("none".into())).await;
    let names = ["circle", "file", "in-again", "nowhere", "out", "out-by-two", "sub", "to-file", "to-sub"];
    let kind = |name: &str| match name {
        "file" => FileKind::File,
        "sub" => FileKind::Directory,
        _ => FileKind::Symlink,
    };
    check(Op::Entries, Entries(names.map(|name| (PathBuf::from(name), kind(name))).into())).await;
}

/// Links themselves are changed and replaced.
#[tokio::test]
async fn changes() {
    let stage = |name| Op::Stage { name, content: "new", mode: Some(0o640) };
    for name in ["new", "file", "to-file", "nowhere"] {
        check_after(&[stage(name)], Op::Open(name), Text("new".into())).await;
        check_after(&[stage(name)], Op::Metadata(name), known_file(0o640, 3)).await;
    }
    check_after(&[stage("to-file")], Op::Open("file"), Text("content".into())).await;
    let operations = [Op::SetMode("file", 0o4755), Op::Stage { name: "file", content: "new", mode: None }];
    check_after(&operations, Op::Metadata("file"), known_file(0o4755, 3)).await;
    check_after(&[Op::CreateDir("new", 0o2775)], Op::SetMode("new", 0o700), Done).await;
    check_after(&[Op::Symlink { name: "new", target: "sub" }], Op::OpenBelow("new"), Target("sub".into()))
        .await;
    let moved = [Op::Rename { from: "file", to: "to-file" }];
    check_after(&moved, Op::Open("to-file"), Text("content".into())).await;
    check_after(&moved, Op::Metadata("file"), Nothing).await;
    let linked = [Op::HardLink { existing: "sub/file", name: "name" }];
    check_after(&linked, Op::Open("name"), Text("x".into())).await;
    check_after(&linked, Op::IsSame("name", "file"), Text("false".into())).await;
    check_after(&[linked[0], Op::Rename { from: "name", to: "file" }], Op::Open("file"), Text("x".into()))
        .await;
    check_after(&[Op::RemoveFile("to-sub")], Op::OpenDir("sub"), Target("sub".into())).await;
    check_after(&[Op::CreateDir("new", 0o700), Op::RemoveDir("new")], Op::Metadata("new"), Nothing).await;
    if is_root() {
        let set_owner = |name| Op::SetOwnership { name, uid: Some(7), gid: Some(8) };
        let known_with = |kind, mode, len| Known { kind, mode, uid: 7, gid: 8, len };
        check_after(&[set_owner("file")], Op::Metadata("file"), known_with(FileKind::File, 0o600, 7)).await;
        check_after(
            &[set_owner("to-file")],
            Op::Metadata("to-file"),
            known_with(FileKind::Symlink, 0o777, 4),
        )
        .await;
        check_after(&[set_owner("to-file")], Op::Metadata("file"), known_file(0o600, 7)).await;
    }
}

#[tokio::test]
async fn links_within() {
    for (path, target) in [
        (".", ""),
        ("sub", "sub"),
        ("sub/deep", "sub/deep"),
        ("sub/../sub/deep/", "sub/deep"),
        ("to-sub/deep", "sub/deep"),
        ("in-again/deep", "sub/deep"),
        ("../dir/sub", "sub"),
        ("out/../dir/sub", "sub"),
    ] {
        check(Op::OpenBelow(path), Target(target.into())).await;
        check(Op::OpenBelowAbsolute(path), Target(target.into())).await;
    }
    for path in ["..", "out", "out-by-two", "sub/up", "out/.", "sub/../..", "/"] {
        check(Op::OpenBelow(path), Failed(SystemErrorKind::Outside)).await;
    }
    check(Op::OpenBelow("circle"), Failed(SystemErrorKind::LinkLoop)).await;
}

/// The path may refer to another directory by then.
#[tokio::test]
async fn it_stays_the_same_directory() {
    let actual = on_both(async |place| {
        prepare(&place, &tree()).await;
        let directory = open(&place).await;
        let moves = [FilesOp::Rename { from: "dir", to: "outside/away" }, link("dir", "outside")];
        prepare(&place, &moves).await;
        let mut answers = Vec::new();
        for op in [
            Op::Open("file"),
            Op::CreateDir("new", 0o700),
            Op::Stage { name: "file", content: "written", mode: None },
            Op::RemoveFile("to-sub"),
            Op::OpenBelow("sub/deep"),
            Op::OpenBelow("../away/sub"),
            Op::OpenBelow("../../outside/away/sub"),
        ] {
            answers.push(run(&*directory, &place.at("outside/away"), op).await.map_err(|error| error.kind));
        }
        (answers, place.snapshot().await)
    });
    let [local, model] = actual.await;
    assert_eq!(local, model);
    let sub = || Ok(Target("sub".into()));
    let expect = [
        Ok(Text("content".into())),
        Ok(Done),
        Ok(Done),
        Ok(Done),
        Ok(Target("sub/deep".into())),
        sub(),
        sub(),
    ];
    assert_eq!(local.0, expect);
}

/// A removed directory is empty, and nothing can be created in it.
#[tokio::test]
async fn a_directory_that_is_gone() {
    for (op, expect) in [
        (Op::Entries, Entries(Vec::new())),
        (Op::Metadata("none"), Nothing),
        (Op::OpenDir("none"), Nothing),
        (Op::Open("none"), Nothing),
        (Op::ReadLink("none"), Nothing),
        (Op::Stage { name: "new", content: "x", mode: None }, Failed(SystemErrorKind::NotFound)),
        (Op::CreateDir("new", 0o755), Failed(SystemErrorKind::NotFound)),
        (Op::Symlink { name: "new", target: "x" }, Failed(SystemErrorKind::NotFound)),
        (Op::RemoveFile("none"), Failed(SystemErrorKind::NotFound)),
    ] {
        let answers = on_both(async |place| {
            prepare(&place, &[FilesOp::CreateDir("dir", 0o755)]).await;
            let directory = open(&place).await;
            // A new directory of the same name is another directory.
            prepare(&place, &[FilesOp::RemoveDir("dir"), FilesOp::CreateDir("dir", 0o755)]).await;
            run(&*directory, &place.at("dir"), op).await.unwrap_or_else(|error| Failed(error.kind))
        });
        assert_eq!(answers.await, [expect.clone(), expect], "{op:?}");
    }
}

const NAMES: [&str; 5] = ["a", "b", "c", "..", "a/b"];
const PATHS: [&str; 8] = ["a", "b", "c", "a/b", "a/../b", "..", "../dir/a", "b/c/.."];

fn ops() -> impl Strategy<Value = Op> {
    let name = || prop::sample::select(&NAMES[..]);
    let path = || prop::sample::select(&PATHS[..]);
    let minimum = if is_root() { 0 } else { 0o700 };
    let mode = || {
        prop::sample::select(&[0o600, 0o755, 0o2755, 0o4711, 0o1777][..]).prop_map(move |mode| mode | minimum)
    };
    let ids: &[Option<u32>] = if is_root() { &[None, Some(0), Some(1234)] } else { &[None] };
    let id = || prop::sample::select(ids);
    prop_oneof![
        1 => Just(Op::Entries),
        1 => name().prop_map(Op::Metadata),
        1 => name().prop_map(Op::OpenDir),
        3 => path().prop_map(Op::OpenBelow),
        1 => path().prop_map(Op::OpenBelowAbsolute),
        1 => name().prop_map(Op::Open),
        1 => name().prop_map(Op::ReadLink),
        3 => (name(), prop::option::of(mode()))
            .prop_map(|(name, mode)| Op::Stage { name, content: "staged", mode }),
        4 => (name(), mode()).prop_map(|(name, mode)| Op::CreateDir(name, mode)),
        3 => (name(), path()).prop_map(|(name, target)| Op::Symlink { name, target }),
        2 => (path(), name()).prop_map(|(existing, name)| Op::HardLink { existing, name }),
        1 => (name(), name()).prop_map(|(one, other)| Op::IsSame(one, other)),
        1 => (name(), mode()).prop_map(|(name, mode)| Op::SetMode(name, mode)),
        1 => (name(), id(), id()).prop_map(|(name, uid, gid)| Op::SetOwnership { name, uid, gid }),
        3 => (name(), name()).prop_map(|(from, to)| Op::Rename { from, to }),
        1 => name().prop_map(Op::RemoveFile),
        1 => name().prop_map(Op::RemoveDir),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_model_is_like_the_machine(ops in prop::collection::vec((any::<bool>(), ops()), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let [local, model] = runtime.block_on(on_both(async |place| {
            let tree = [FilesOp::CreateDir("dir", 0o755), FilesOp::CreateDir("dir/a", 0o755)];
            prepare(&place, &tree).await;
            let outer = open(&place).await;
            // The open directory does not depend on its name.
            let inner = outer.open_dir("a".as_ref()).await.expect("it can be opened").expect("it is there");
            let mut story = Vec::new();
            for (is_outer, op) in &ops {
                // Paths that lead out of a removed directory depend on the file system.
                let is_path = matches!(op, Op::OpenBelow(_) | Op::OpenBelowAbsolute(_));
                let directory = if *is_outer || is_path { &outer } else { &inner };
                let answer = run(&**directory, &place.at("dir"), *op).await.map_err(|error| error.kind);
                story.push(format!("{is_outer} {op:?}: {answer:?}"));
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
