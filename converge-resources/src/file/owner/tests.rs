use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{Effect, ModelSystem, System};

use super::OwnerPreparer;
use crate::testing::{
    Written, apply, context, is_root, local, plan, plan_behind, plan_pending, prepare, show,
};

/// Returns a host with `root` (0), `daemon` (1) and `nobody` (65534), and their groups.
fn model() -> ModelSystem {
    ModelSystem::new().with_user("www", 33, 33).with_group("www", 33).with_file("/srv/motd", "hello")
}

fn tree() -> ModelSystem {
    model()
        .with_file("/etc/passwd", "root")
        .with_file("/srv/web/a/deep/file", "")
        .with_file("/srv/web/b", "")
        .with_symlink("/srv/web/link", "/etc")
        .with_owner("/srv/web/b", 1, 1)
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |who: Written<'_>, expect: &str| {
        let fields: Vec<_> =
            [("destination", Value::from("/srv/motd"))].into_iter().chain(who.iter().cloned()).collect();
        assert_eq!(plan::<OwnerPreparer>(&system, &fields).await, expect, "{who:?}");
    };
    let to_daemon = "will change\nUID: \"0\" => \"1\"\nuser: \"root\" => \"daemon\"";
    check(&[("user", "root".into())], "no change").await;
    check(&[("user", "daemon".into())], to_daemon).await;
    check(&[("uid", 1.into())], to_daemon).await;
    check(&[("uid", "1".into())], to_daemon).await;
    check(&[("group", "www".into())], "will change\nGID: \"0\" => \"33\"\ngroup: \"root\" => \"www\"").await;
    check(
        &[("user", "daemon".into()), ("gid", 33.into())],
        "will change\nUID: \"0\" => \"1\"\nGID: \"0\" => \"33\"\n\
         user: \"root\" => \"daemon\"\ngroup: \"root\" => \"www\"",
    )
    .await;
    check(&[("uid", 4000.into())], "will change\nUID: \"0\" => \"4000\"\nuser: \"root\" => \"(no name)\"")
        .await;
    check(&[("uid", 0.into()), ("gid", 0.into())], "no change").await;
    check(
        &[("user", "nobody".into()), ("group", "".into())],
        "will change\nUID: \"0\" => \"65534\"\nuser: \"root\" => \"nobody\"",
    )
    .await;
    check(&[("user", "ghost".into())], "error: user \"ghost\" does not exist").await;
    check(&[("group", "ghosts".into())], "error: group \"ghosts\" does not exist").await;
    check(
        &[("user", "root".into()), ("uid", 0.into())],
        "error: uid: `user` and `uid` are mutually exclusive",
    )
    .await;
    check(
        &[("group", "root".into()), ("gid", 0.into())],
        "error: gid: `group` and `gid` are mutually exclusive",
    )
    .await;
    check(
        &[],
        "no change\nwarning: none of `user`, `uid`, `group` and `gid` is given, so nothing is managed",
    )
    .await;
}

#[tokio::test]
async fn user_and_group_are_compared_each_with_its_own() {
    let system: Arc<dyn System> = Arc::new(model().with_owner("/srv/motd", 1, 33));
    let check = async |uid: u32, gid: u32, expect: &str| {
        let fields =
            [("destination", Value::from("/srv/motd")), ("uid", Value::from(uid)), ("gid", Value::from(gid))];
        assert_eq!(plan::<OwnerPreparer>(&system, &fields).await, expect, "{uid}:{gid}");
    };
    check(1, 33, "no change").await;
    check(1, 1, "will change\nGID: \"33\" => \"1\"\ngroup: \"www\" => \"daemon\"").await;
    check(33, 33, "will change\nUID: \"1\" => \"33\"\nuser: \"daemon\" => \"www\"").await;
}

#[tokio::test]
async fn what_is_missing_may_be_made_by_a_pending_change() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, user: &str, alone: &str, pending: &str| {
        let fields = [("destination", Value::from(destination)), ("user", Value::from(user))];
        assert_eq!(plan::<OwnerPreparer>(&system, &fields).await, alone);
        assert_eq!(plan_pending::<OwnerPreparer>(&system, &fields).await, pending);
    };
    check(
        "/srv/new",
        "daemon",
        "error: file \"/srv/new\" does not exist",
        "may change\n# /srv/new does not exist yet",
    )
    .await;
    check(
        "/srv/motd",
        "web",
        "error: user \"web\" does not exist",
        "may change\n# the user \"web\" does not exist yet",
    )
    .await;
    check("/srv/motd", "root", "no change", "no change").await;
}

#[tokio::test]
async fn an_account_that_is_about_to_change_may_get_the_id_that_the_file_has() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |dependency: &str, field: &'static str, expect: &str| {
        let fields = [("destination", Value::from("/srv/motd")), (field, Value::from("daemon"))];
        let output = plan_behind::<OwnerPreparer>(dependency, &system, &fields).await;
        assert_eq!(output.lines().next(), Some(expect), "{dependency} {field}: {output}");
    };
    check("user.user.daemon", "user", "may change").await;
    check("user.user.daemon", "group", "will change").await;
    check("user.group.daemon", "group", "may change").await;
}

#[tokio::test]
async fn a_tree() {
    let system: Arc<dyn System> = Arc::new(tree());
    let check = async |verbose: bool, expect: &str| {
        let fields = [
            ("destination", Value::from("/srv/web")),
            ("user", Value::from("www")),
            ("recursive", Value::from(true)),
            ("verbose", Value::from(verbose)),
        ];
        assert_eq!(plan::<OwnerPreparer>(&system, &fields).await, expect);
    };
    let summary =
        "will change\nUID: \"0, 1\" => \"33\"\nuser: \"root, daemon\" => \"www\"\n# 6 of 6 paths differ";
    check(false, &format!("{summary}; `verbose = true` lists them")).await;
    let paths = "/srv/web: UID 0 => 33\n# /srv/web/a: UID 0 => 33\n# /srv/web/b: UID 1 => 33\n\
                 # /srv/web/link: UID 0 => 33\n# /srv/web/a/deep: UID 0 => 33\n# /srv/web/a/deep/file: UID 0 => 33";
    check(true, &format!("{summary}:\n# {paths}")).await;
}

#[tokio::test]
async fn only_what_differs_is_changed_and_links_are_not_followed() {
    let model = Arc::new(tree());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = [
        ("destination", Value::from("/srv/web")),
        ("user", Value::from("daemon")),
        ("recursive", Value::from(true)),
    ];
    apply::<OwnerPreparer>(&system, &fields).await;
    let changed: Vec<_> = model
        .effects()
        .into_iter()
        .map(|effect| match effect {
            Effect::SetOwnership { path, .. } => path,
            other => panic!("{other:?}"),
        })
        .collect();
    let expect = ["/srv/web", "/srv/web/a", "/srv/web/link", "/srv/web/a/deep", "/srv/web/a/deep/file"];
    assert_eq!(changed, expect.map(Path::new));
    assert_eq!(model.snapshot()[Path::new("/etc/passwd")].uid, 0);
    assert_eq!(model.snapshot()[Path::new("/etc")].uid, 0);
}

#[tokio::test]
async fn a_destination_that_is_a_link_stands_for_what_it_points_to() {
    let check = async |recursive: bool, expect: &[&str]| {
        let model = Arc::new(model().with_file("/srv/v1/file", "").with_symlink("/srv/now", "/srv/v1"));
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = [
            ("destination", Value::from("/srv/now")),
            ("uid", Value::from(1)),
            ("recursive", Value::from(recursive)),
        ];
        apply::<OwnerPreparer>(&system, &fields).await;
        let changed: Vec<_> = model.snapshot().into_iter().filter(|(_, entry)| entry.uid == 1).collect();
        let changed: Vec<_> = changed.iter().map(|(path, _)| path.as_path()).collect();
        assert_eq!(changed, expect.iter().map(Path::new).collect::<Vec<_>>());
    };
    check(false, &["/srv/v1"]).await;
    check(true, &["/srv/v1", "/srv/v1/file"]).await;
}

#[tokio::test]
async fn exports_hold_names_and_ids() {
    let cx = context(Arc::new(model()), RunMode::Plan);
    let check = async |who: Written<'_>, expect: [Value; 4]| {
        let fields: Vec<_> =
            [("destination", Value::from("/srv/motd"))].into_iter().chain(who.iter().cloned()).collect();
        let mut task = prepare::<OwnerPreparer>(&cx, &fields).await.unwrap();
        show(&task.check(&cx, &FakeRenderer::new()).await);
        let exports = task.exports();
        let actual = ["username", "uid", "group", "gid"].map(|name| exports.get(&[name]).cloned().unwrap());
        assert_eq!(actual, expect, "{who:?}");
    };
    let null = || Value::Null;
    check(&[("user", "www".into())], ["www".into(), 33.into(), null(), null()]).await;
    check(&[("gid", 33.into())], [null(), null(), "www".into(), 33.into()]).await;
    check(&[("uid", 4000.into())], [null(), 4000.into(), null(), null()]).await;
}

#[tokio::test]
async fn a_cancelled_run_stops_in_the_tree() {
    let cx = context(Arc::new(tree()), RunMode::Plan);
    let fields = [
        ("destination", Value::from("/srv/web")),
        ("user", Value::from("www")),
        ("recursive", Value::from(true)),
    ];
    let mut task = prepare::<OwnerPreparer>(&cx, &fields).await.unwrap();
    cx.cancellation().cancel();
    assert_eq!(show(&task.check(&cx, &FakeRenderer::new()).await), "error: cancelled");
}

#[tokio::test]
async fn on_the_real_machine() {
    if !is_root("file.owner on the real machine") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let deep = (0..200).fold(dir.path().join("tree"), |path, _| path.join("d"));
    let outside = dir.path().join("outside");
    #[expect(clippy::disallowed_methods, reason = "the test makes what the resource works on")]
    {
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(&outside, "").unwrap();
        std::fs::write(deep.join("file"), "").unwrap();
        std::os::unix::fs::symlink(&outside, deep.join("link")).unwrap();
    }
    let fields = [
        ("destination", Value::from(dir.path().join("tree").to_str().unwrap())),
        ("uid", Value::from(1)),
        ("gid", Value::from(2)),
        ("recursive", Value::from(true)),
    ];
    let output = apply::<OwnerPreparer>(&local(), &fields).await;
    assert!(output.contains("UID: \"0\" => \"1\""), "{output}");
    assert!(output.contains("GID: \"0\" => \"2\""), "{output}");
    assert!(output.ends_with("# 203 of 203 paths differ; `verbose = true` lists them"), "{output}");
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let owner =
        |path: &Path| path.symlink_metadata().map(|metadata| (metadata.uid(), metadata.gid())).unwrap();
    assert_eq!(owner(&deep.join("file")), (1, 2));
    assert_eq!(owner(&deep.join("link")), (1, 2));
    assert_eq!(owner(&outside), (0, 0));
    assert_eq!(apply::<OwnerPreparer>(&local(), &fields).await, "no change");
}

laws!(
    OwnerPreparer,
    start = tree,
    values = ("destination", ["/srv/web", "/srv/web/index"]),
    values = ("user", ["www", "daemon", "ghost"])
);
