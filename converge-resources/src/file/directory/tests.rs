use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{Effect, ModelSystem, System};

use super::DirectoryPreparer;
use crate::testing::{Written, apply, local, plan, plan_pending};

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_dir("/srv/empty")
        .with_file("/srv/full/file", "")
        .with_file("/srv/full/other", "")
        .with_symlink("/srv/link", "/srv/empty")
}

fn at(destination: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    [("destination", Value::from(destination))].into_iter().chain(extra.iter().cloned()).collect()
}

#[tokio::test]
async fn a_link_to_nothing_is_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    let system = local();
    system.files().symlink("nowhere".as_ref(), &link).await.unwrap();
    let output = apply::<DirectoryPreparer>(&system, &at(link.to_str().unwrap(), &[])).await;
    assert!(output.contains("error: ") && output.contains("exists"), "{output}");
}

#[tokio::test]
async fn differences() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan::<DirectoryPreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    check("/srv/empty", &[], "no change").await;
    check("/srv/empty/", &[], "no change").await;
    check("/srv/link", &[], "no change").await;
    check("/srv/new", &[], "will change\n/srv/new: \"absent\" => \"present\"").await;
    check("/srv/a/b", &[], "error: the directory /srv/a does not exist: `create_all = true` makes it too")
        .await;
    check(
        "/srv/a/b",
        &[("create_all", true.into())],
        "will change\n/srv/a: \"absent\" => \"present\"\n/srv/a/b: \"absent\" => \"present\"",
    )
    .await;
    check(
        "/srv/new",
        &[("mode", "0750".into()), ("owner", "daemon".into()), ("group", "1".into())],
        "will change\n/srv/new: \"absent\" => \"present\"\nmode: \"\" => \"0750\"\nowner: \"\" => \"daemon\"\n\
         group: \"\" => \"1\"",
    )
    .await;
    check(
        "/srv/empty",
        &[("mode", "g+w".into()), ("owner", "daemon".into())],
        "will change\nmode: \"0755\" => \"0775\"\nowner: \"root\" => \"daemon\"",
    )
    .await;
    check("/srv/empty", &[("owner", "ghost".into())], "error: user \"ghost\" does not exist").await;
    check("/srv/full/file", &[], "error: cannot make the directory /srv/full/file: not a directory").await;
    check(
        "/srv/full/file/x",
        &[("create_all", true.into())],
        "error: cannot make the directory /srv/full/file: not a directory",
    )
    .await;
    check("", &[], "error: destination: `destination` must not be empty").await;
    check("/x", &[("state", "gone".into())], "error: state: \"gone\" is not one of present, absent").await;
}

#[tokio::test]
async fn absent_removes_only_what_is_empty() {
    let system: Arc<dyn System> = Arc::new(model());
    let absent = [("state", Value::from("absent"))];
    let check = async |destination: &str, expect: &str| {
        let actual = plan::<DirectoryPreparer>(&system, &at(destination, &absent)).await;
        assert_eq!(actual, expect, "{destination}");
    };
    check("/srv/none", "no change").await;
    check("/srv/empty", "will change\n/srv/empty: \"present\" => \"absent\"").await;
    check(
        "/srv/full",
        "can't change\n/srv/full: \"present\" => \"absent\"\nerror: /srv/full is not empty: 2 things in it \
         would be lost, and only an empty directory is removed",
    )
    .await;
    check("/srv/full/file", "error: cannot remove the directory /srv/full/file: not a directory").await;
    check("/srv/link", "error: cannot remove the directory /srv/link: not a directory").await;
}

#[tokio::test]
async fn what_is_missing_may_be_made_by_a_pending_change() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = plan_pending::<DirectoryPreparer>(&system, &at(destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    check(
        "/srv/a/b",
        &[],
        "will change\n/srv/a/b: \"absent\" => \"present\"\n# the directory /srv/a does not exist yet",
    )
    .await;
    check(
        "/srv/empty",
        &[("owner", "ghost".into())],
        "may change\nowner: \"root\" => \"ghost\"\n# the user \"ghost\" does not exist yet",
    )
    .await;
    check(
        "/srv/full",
        &[("state", "absent".into())],
        "may change\n/srv/full: \"present\" => \"absent\"\n# /srv/full is not empty yet",
    )
    .await;
}

#[tokio::test]
async fn a_new_directory_has_its_mode_from_the_start() {
    let check = async |more: Written<'_>, modes: &[u32]| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        apply::<DirectoryPreparer>(&system, &at("/srv/a/b", more)).await;
        let actual: Vec<u32> = model
            .effects()
            .iter()
            .map(|effect| match effect {
                Effect::CreateDir { path, .. } => model.snapshot()[path].mode,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(actual, modes, "{more:?}");
    };
    let create_all = ("create_all", Value::from(true));
    check(std::slice::from_ref(&create_all), &[0o700, 0o700]).await;
    check(&[create_all.clone(), ("mode", "0755".into())], &[0o755, 0o755]).await;
    check(&[create_all, ("mode", "go+X".into())], &[0o711, 0o711]).await;
}

#[tokio::test]
async fn a_tree() {
    let model = ModelSystem::new().with_file("/srv/web/a/page", "").with_file("/srv/web/run", "#!");
    let model = Arc::new(model.with_mode("/srv/web/run", 0o700).with_mode("/srv/web/a", 0o700));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |destination: &str, mode: &str, expect: &str| {
        let fields =
            [("destination", Value::from(destination)), ("mode", mode.into()), ("recursive", true.into())];
        assert_eq!(apply::<DirectoryPreparer>(&system, &fields).await, expect, "{destination} {mode}");
    };
    check(
        "/srv/web",
        "u=rwX,go=rX",
        "will change\nmode: \"0700\" => \"0755\"\n# 2 of 4 paths differ: a, run",
    )
    .await;
    check(
        "/srv/web",
        "go-rx",
        "will change\nmode: \"0644, 0755\" => \"0600, 0700\"\n# 4 of 4 paths differ: a, run, a/page",
    )
    .await;
    check("/srv/new", "0750", "will change\n/srv/new: \"absent\" => \"present\"\nmode: \"\" => \"0750\"")
        .await;
    let refused = "error: mode: their owner could not enter the directories in the tree: write `X` for them, as in \
                   \"u=rwX,go=rX\"";
    check("/srv/web", "0644", refused).await;
}

#[tokio::test]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    let destination = dir.path().join("a/b");
    let path = destination.to_str().unwrap();
    let fields = at(path, &[("create_all", Value::from(true)), ("mode", Value::Int(0o2775))]);
    let output = apply::<DirectoryPreparer>(&local(), &fields).await;
    assert!(output.starts_with("will change") && !output.contains("apply"), "{output}");
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let mode = destination.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o2775);
    assert_eq!(apply::<DirectoryPreparer>(&local(), &fields).await, "no change");

    let absent = at(path, &[("state", Value::from("absent"))]);
    let output = apply::<DirectoryPreparer>(&local(), &absent).await;
    assert_eq!(output, format!("will change\n{path}: \"present\" => \"absent\""));
    #[expect(clippy::disallowed_methods, reason = "the test looks at what the resource did")]
    let left = (destination.exists(), dir.path().join("a").exists());
    assert_eq!(left, (false, true));
}

laws!(
    DirectoryPreparer,
    start = model,
    values = ("destination", ["/srv/new", "/srv/empty", "/srv/a/b/c", "relative"])
);
