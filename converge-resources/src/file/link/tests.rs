mod hard_link;

use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Effect, FileKind, Follow, ModelSystem, System};

use super::LinkPreparer;
use crate::testing::{apply, context, local, plan, plan_pending, prepare, show};

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/srv/v1")
        .with_dir("/srv/v2")
        .with_symlink("/srv/now", "v1")
        .with_symlink("/srv/dangling", "none")
        .with_file("/srv/file", "kept")
        .with_file("/srv/deep/file", "kept")
}

fn at(destination: &str, target: &str, force: bool) -> Vec<(&'static str, Value)> {
    vec![("destination", Value::from(destination)), ("target", target.into()), ("force", force.into())]
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, target: &str, force: bool, expect: &str| {
        let actual = plan::<LinkPreparer>(&system, &at(destination, target, force)).await;
        assert_eq!(actual, expect, "{destination} {target} {force}");
    };
    check("/srv/now", "v1", false, "no change").await;
    check("/srv/dangling", "none", false, "no change").await;
    check("/srv/now", "v2", false, "will change\ntarget: \"v1\" => \"v2\"").await;
    // The same target by another path is a difference.
    check("/srv/now", "/srv/v1", false, "will change\ntarget: \"v1\" => \"/srv/v1\"").await;
    check("/srv/new", "v2", false, "will change\nstate: \"absent\" => \"present\"\ntarget: \"\" => \"v2\"")
        .await;
    check(
        "/srv/now",
        "../v3",
        false,
        "will change\ntarget: \"v1\" => \"../v3\"\n# there is nothing at /srv/../v3 yet",
    )
    .await;
    check(
        "/srv/file",
        "v1",
        false,
        "can't change\ntarget: \"(a file)\" => \"v1\"\nerror: /srv/file is a file: `force = true` replaces it",
    )
    .await;
    check(
        "/srv/file",
        "v1",
        true,
        "will change\ntarget: \"(a file)\" => \"v1\"\n# a file is replaced, and is lost",
    )
    .await;
    check(
        "/srv/deep",
        "v1",
        true,
        "can't change\ntarget: \"(a folder)\" => \"v1\"\nerror: /srv/deep is a folder, which a link never replaces: \
         `file.absent` with `recursive = true` removes it",
    )
    .await;
    check(
        "/none/new",
        "v1",
        false,
        "error: the directory /none does not exist: declare it with `file.directory`, and name it in `depends`",
    )
    .await;
    check("/", "v1", true, "error: cannot create the link /: not possible for this path").await;
    check("/srv/new", "", false, "error: target: `target` must not be empty").await;
    let pending = plan_pending::<LinkPreparer>(&system, &at("/none/new", "v1", false)).await;
    assert!(pending.contains("# the directory /none does not exist yet"), "{pending}");
}

#[tokio::test]
async fn effects() {
    let check = async |destination: &str, force: bool, expect: &[&str]| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<LinkPreparer>(&system, &at(destination, "v2", force)).await;
        let effects: Vec<String> = model
            .effects()
            .into_iter()
            .map(|effect| match effect {
                Effect::Symlink { path, target } => format!("{} -> {}", path.display(), target.display()),
                Effect::Rename { from, to } => format!("{} to {}", from.display(), to.display()),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(effects, expect, "{destination}");
    };
    check("/srv/new", false, &["/srv/new -> v2"]).await;
    let replaced = |name: &str| {
        [format!("/srv/.converge-link.{name} -> v2"), format!("/srv/.converge-link.{name} to /srv/{name}")]
    };
    for (name, force) in [("now", false), ("file", true)] {
        let expect = replaced(name);
        check(&format!("/srv/{name}"), force, &expect.each_ref().map(String::as_str)).await;
    }
}

/// A file that appears after the check is not lost.
#[tokio::test]
async fn what_changed_since_the_check_stays() {
    let check = async |destination: &str, alter: fn(&mut converge_sdk::system::Machine), expect: &str| {
        let model = Arc::new(model());
        let cx = context(Arc::clone(&model) as _, RunMode::Apply);
        let mut task = prepare::<LinkPreparer>(&cx, &at(destination, "v2", true)).await.unwrap();
        task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
        model.alter(alter);
        assert_eq!(show(&task.apply(&cx).await), expect);
        assert!(model.machine().entry("/srv/.converge-link.now").is_none());
    };
    check(
        "/srv/now",
        |machine| {
            machine.remove("/srv/now");
            machine.put_file("/srv/now", "precious");
        },
        "error: cannot create the link /srv/now: another process keeps changing it",
    )
    .await;
    check(
        "/srv/new",
        |machine| machine.put_file("/srv/new", "precious"),
        "error: cannot create the link /srv/new: it exists already",
    )
    .await;
    check("/srv/new", |machine| machine.put_symlink("/srv/new", "v2"), "no change").await;
    check("/srv/now", |machine| machine.remove("/srv/now"), "no change").await;
}

/// A leftover of a killed run is replaced, and not followed.
#[tokio::test]
async fn a_stale_link_is_not_in_the_way() {
    let model = Arc::new(model().with_symlink("/srv/.converge-link.now", "/srv/file"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    apply::<LinkPreparer>(&system, &at("/srv/now", "v2", false)).await;
    assert_eq!(plan::<LinkPreparer>(&system, &at("/srv/now", "v2", false)).await, "no change");
    assert!(model.machine().entry("/srv/.converge-link.now").is_none());
    assert_eq!(model.machine().file("/srv/file"), Some(&b"kept"[..]));
}

#[tokio::test]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("x".repeat(255));
    let name = link.to_str().unwrap();
    for target in ["somewhere", "else/where"] {
        let output = apply::<LinkPreparer>(&local(), &at(name, target, false)).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        assert_eq!(apply::<LinkPreparer>(&local(), &at(name, target, false)).await, "no change");
        let link_target = local().files().read_link(&link).await.unwrap();
        assert_eq!(link_target.as_deref(), Some(Path::new(target)));
    }
    let file = dir.path().join("file");
    local().files().write(&file, converge_sdk::system::WriteFile::new(b"old")).await.unwrap();
    apply::<LinkPreparer>(&local(), &at(file.to_str().unwrap(), "new", true)).await;
    let metadata = local().files().metadata(&file, Follow::Never).await.unwrap();
    assert_eq!(metadata.map(|metadata| metadata.kind), Some(FileKind::Symlink));
}

laws!(
    LinkPreparer,
    start = model,
    values = ("hard", [false]),
    values = ("destination", ["/srv/now", "/srv/new", "/srv/file", "/srv/deep", "/srv/none/new"]),
    values = ("target", ["v1", "v2", "/srv/file", "../srv/none"]),
    beside = ("/srv/.converge-link.now", "the link has this name before it takes its place"),
    beside = ("/srv/.converge-link.file", "the same")
);
