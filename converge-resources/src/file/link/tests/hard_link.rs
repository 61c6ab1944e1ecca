//! Tests of hard links.

use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Disk, Effect, Machine, ModelSystem, Ownership, System};

use super::super::LinkPreparer;
use crate::testing::{apply, context, local, plan, plan_pending, prepare, show};

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/srv/file", "content")
        .with_hard_link("/srv/linked", "/srv/file")
        .with_file("/srv/other", "content")
        .with_file("/srv/named", "kept")
        .with_hard_link("/srv/again", "/srv/named")
        .with_symlink("/srv/symbolic", "file")
        .with_dir("/srv/deep")
        .with(|machine| {
            machine.put_mode("/srv/other", 0o600);
            machine.put_disk("/disk", Disk::Full);
            machine.put_file("/disk/file", "");
        })
}

fn at(destination: &str, target: &str, force: bool) -> Vec<(&'static str, Value)> {
    let (destination, target) = (Value::from(destination), Value::from(target));
    vec![("destination", destination), ("target", target), ("hard", true.into()), ("force", force.into())]
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, target: &str, force: bool, expect: &str| {
        let actual = plan::<LinkPreparer>(&system, &at(destination, target, force)).await;
        assert_eq!(actual, expect, "{destination} {target} {force}");
    };
    // Each form of the target gives the same link.
    for target in ["file", "/srv/file", "../srv/file", "linked"] {
        check("/srv/linked", target, false, "no change").await;
    }
    check(
        "/srv/new",
        "file",
        false,
        "will change\nstate: \"absent\" => \"present\"\ntarget: \"\" => \"file\"",
    )
    .await;
    check(
        "/srv/deep/new",
        "../file",
        false,
        "will change\nstate: \"absent\" => \"present\"\ntarget: \"\" => \"../file\"",
    )
    .await;
    // A file with the same content is still another file.
    check(
        "/srv/other",
        "file",
        false,
        "can't change\ntarget: \"(another file)\" => \"file\"\nerror: /srv/other is another file: `force = true` replaces it",
    )
    .await;
    check(
        "/srv/other",
        "file",
        true,
        "will change\ntarget: \"(another file)\" => \"file\"\n# another file is replaced, and is lost",
    )
    .await;
    check(
        "/srv/again",
        "file",
        true,
        "will change\ntarget: \"(another file)\" => \"file\"\n# another file is replaced, and keeps its other names",
    )
    .await;
    check("/srv/symbolic", "file", false, "will change\ntarget: \"(a symbolic link)\" => \"file\"").await;
    check(
        "/srv/deep",
        "file",
        true,
        "can't change\ntarget: \"(a folder)\" => \"file\"\nerror: /srv/deep is a folder, which a link never replaces: \
         `file.absent` with `recursive = true` removes it",
    )
    .await;
}

#[tokio::test]
async fn what_can_have_no_other_name() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, target: &str, expect: &str| {
        let planned = plan::<LinkPreparer>(&system, &at(destination, target, true)).await;
        assert!(planned.ends_with(expect), "{destination} {target}: {planned}");
        let applied = apply::<LinkPreparer>(&system, &at(destination, target, true)).await;
        assert!(applied.ends_with(expect), "{destination} {target}: {applied}");
    };
    check(
        "/srv/new",
        "none",
        "error: /srv/none does not exist, and a hard link needs an existing file: declare the file, and name it in `depends`",
    )
    .await;
    check(
        "/srv/new",
        "deep",
        "error: /srv/deep is a folder, and only files have hard links: without `hard`, the link is a symbolic one",
    )
    .await;
    check(
        "/srv/new",
        "symbolic",
        "error: /srv/symbolic is a symbolic link, and a hard link to it would be one too: name the file that it points to",
    )
    .await;
    check(
        "/srv/new",
        "/disk/file",
        "error: /disk/file is on another file system than /srv/new, and a hard link is on the same one: without `hard`, the link is a \
         symbolic one",
    )
    .await;
    check(
        "/none/new",
        "/srv/file",
        "error: the directory /none does not exist: declare it with `file.directory`, and name it in `depends`",
    )
    .await;
    let pending = plan_pending::<LinkPreparer>(&system, &at("/srv/new", "none", false)).await;
    assert_eq!(pending, "may change\n# there is nothing at /srv/none yet");
}

/// A file that an unprivileged user may have linked into a directory gets no further name.
#[tokio::test]
async fn a_name_that_somebody_else_may_have_given() {
    let mine = ModelSystem::new()
        .with_user("jo", 1000, 1000)
        .with_file("/etc/shadow", "secret")
        .with_hard_link("/home/jo/shadow", "/etc/shadow")
        .with_owner("/home/jo", 1000, 1000)
        .with_dir("/srv");
    let system: Arc<dyn System> = Arc::new(mine);
    let expect = "error: cannot change /home/jo/shadow: it is a hard link to a file of root (user id 0), in a directory of jo (user id 1000), \
                  and may have been made by somebody who may not use that file";
    let output = plan::<LinkPreparer>(&system, &at("/srv/new", "/home/jo/shadow", false)).await;
    assert!(output.ends_with(expect), "{output}");
    let output = apply::<LinkPreparer>(&system, &at("/srv/new", "/home/jo/shadow", false)).await;
    assert!(output.ends_with(expect), "{output}");
}

#[tokio::test]
async fn effects() {
    let check = async |destination: &str, expect: &[&str]| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<LinkPreparer>(&system, &at(destination, "file", true)).await;
        let effects = model.effects().into_iter().map(|effect| match effect {
            Effect::HardLink { path, existing } => format!("{} = {}", path.display(), existing.display()),
            Effect::Rename { from, to } => format!("{} to {}", from.display(), to.display()),
            other => format!("{other:?}"),
        });
        assert_eq!(effects.collect::<Vec<_>>(), expect, "{destination}");
        assert!(model.machine().entry("/srv/.converge-link.other").is_none());
        assert_eq!(model.machine().file("/srv/file"), Some(&b"content"[..]));
        assert_eq!(model.machine().entry("/srv/file").map(|entry| entry.links), Some(3));
        assert_eq!(plan::<LinkPreparer>(&system, &at(destination, "file", false)).await, "no change");
    };
    check("/srv/new", &["/srv/new = /srv/file"]).await;
    for name in ["other", "symbolic", "again"] {
        let unfinished = format!("/srv/.converge-link.{name}");
        let expect = [format!("{unfinished} = /srv/file"), format!("{unfinished} to /srv/{name}")];
        check(&format!("/srv/{name}"), &expect.each_ref().map(String::as_str)).await;
    }
}

/// Changes between check and apply are handled.
#[tokio::test]
async fn what_changed_since_the_check() {
    let check = async |destination: &str, alter: fn(&mut Machine), expect: &str| {
        let model = Arc::new(model());
        let cx = context(Arc::clone(&model) as _, RunMode::Apply);
        let mut task = prepare::<LinkPreparer>(&cx, &at(destination, "file", true)).await.unwrap();
        task.check(&cx, &FakeRenderer::new()).await.unwrap();
        model.alter(alter);
        assert_eq!(show(&task.apply(&cx).await), expect);
        let left =
            model.machine().entries().into_keys().filter(|path| path.to_string_lossy().contains("converge"));
        assert_eq!(left.count(), 0);
    };
    check("/srv/new", |machine| machine.put_hard_link("/srv/new", "/srv/file"), "no change").await;
    check("/srv/other", |machine| machine.put_hard_link("/srv/other", "/srv/file"), "no change").await;
    check(
        "/srv/new",
        |machine| machine.put_file("/srv/new", "precious"),
        "error: cannot create the hard link /srv/new: it exists already",
    )
    .await;
    check(
        "/srv/new",
        |machine| machine.remove("/srv/file"),
        "error: cannot create the hard link /srv/new: it does not exist",
    )
    .await;
    check(
        "/srv/symbolic",
        |machine| {
            machine.remove("/srv/symbolic");
            machine.put_file("/srv/symbolic", "precious");
        },
        "error: cannot create the link /srv/symbolic: another process keeps changing it",
    )
    .await;
}

/// Two runs at the same moment do not leave the temporary name.
///
/// A rename of one name of a file to another name of it does nothing.
#[tokio::test]
async fn two_runs_at_once_leave_no_third_name() {
    let model = Arc::new(model().with_hard_link("/srv/.converge-link.other", "/srv/file"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let directory = system.files().open_dir("/srv".as_ref()).await.unwrap().unwrap();
    model.alter(|machine| machine.put_hard_link("/srv/other", "/srv/file"));
    let link = crate::file::atomic_link::NewLink::Hard("/srv/file".as_ref());
    crate::file::atomic_link::put(&*directory, "other".as_ref(), link, Ownership::default(), |_| true)
        .await
        .unwrap();
    assert!(model.machine().entry("/srv/.converge-link.other").is_none());
    assert_eq!(model.machine().entry("/srv/other").map(|entry| entry.links), Some(3));
}

#[tokio::test]
async fn on_the_real_machine() {
    use std::os::unix::fs::MetadataExt as _;

    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    let write = async |name: &str| {
        let write = converge_sdk::system::WriteFile::new(name.as_bytes());
        local().files().write(place(name).as_ref(), write).await.unwrap();
    };
    write("file").await;
    write("other").await;
    for name in ["new", "other"] {
        let fields = at(&place(name), "file", true);
        let output = apply::<LinkPreparer>(&local(), &fields).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        assert_eq!(apply::<LinkPreparer>(&local(), &fields).await, "no change");
    }
    #[expect(clippy::disallowed_methods, reason = "a test, which looks at what was made")]
    let names = |name: &str| {
        let metadata = std::fs::symlink_metadata(place(name)).unwrap();
        (metadata.ino(), metadata.nlink())
    };
    assert_eq!(names("new"), names("file"));
    assert_eq!(names("other"), (names("file").0, 3));
    // The name of the target now belongs to another file, and the links have the old one.
    write("file").await;
    let output = plan::<LinkPreparer>(&local(), &at(&place("new"), "file", false)).await;
    assert!(output.contains("is another file: `force = true` replaces it"), "{output}");
    apply::<LinkPreparer>(&local(), &at(&place("new"), "file", true)).await;
    assert_eq!(names("new"), (names("file").0, 2));
}

laws!(
    LinkPreparer,
    start = model,
    values = ("hard", [true]),
    values = (
        "destination",
        ["/srv/new", "/srv/other", "/srv/linked", "/srv/again", "/srv/symbolic", "/srv/none/new"]
    ),
    values = ("target", ["/srv/file", "named", "symbolic", "deep", "/srv/none/x"]),
    beside = ("/srv/.converge-link.other", "the link has this name before it takes its place"),
    beside = ("/srv/.converge-link.again", "the same"),
    beside = ("/srv/.converge-link.linked", "the same"),
    beside = ("/srv/.converge-link.symbolic", "the same")
);
