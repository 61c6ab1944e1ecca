use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;

use converge_core::laws;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::CopyPreparer;
use crate::testing::{Written, apply, context, is_root, local, plan, plan_behind, plan_pending, prepare};

const MOUNTS: &str = "1 0 8:1 / / rw - ext4 /dev/root rw\n";

fn model() -> ModelSystem {
    ModelSystem::new()
        .with_file("/proc/self/mountinfo", MOUNTS)
        .with_file("/src/a.conf", "a\n")
        .with_file("/src/sub/b.conf", [0xff, 0, b'b'])
        .with_mode("/src/sub/b.conf", 0o4750)
        .with_file("/src/sub/.hidden", "h")
        .with_symlink("/src/link", "sub/b.conf")
        .with_dir("/src/empty")
        .with_file("/dst/old", "old")
        .with_file("/dst/a.conf", "other\n")
        .with_file("/dst/gone/deep", "")
        .with_owner("/dst/a.conf", 1, 1)
        .with_dir("/srv")
}

fn at(source: &str, destination: &str, extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let base = [("source", Value::from(source)), ("destination", destination.into())];
    base.into_iter().chain(extra.iter().cloned()).collect()
}

fn list(items: &[&str]) -> Value {
    Value::from(items.iter().map(|item| Value::from(*item)).collect::<Vec<_>>())
}

#[tokio::test]
async fn absolute_links_that_stay_inside() {
    let model = model().with_symlink("/src/sub/absolute", "/src/sub/b.conf").with_symlink("/alias", "/src");
    let model = Arc::new(model.with_symlink("/src/by-alias", "/alias/a.conf"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    for (source, destination) in [("/alias", "/srv/one"), ("/src/sub", "/srv/two")] {
        let fields = at(source, destination, &[("exclude", list(&["b.conf"]))]);
        let output = apply::<CopyPreparer>(&system, &fields).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        assert_eq!(plan::<CopyPreparer>(&system, &fields).await, "no change");
    }
    let link = model.files().read_link(Path::new("/srv/two/absolute")).await.unwrap().unwrap();
    assert_eq!(link, Path::new("/src/sub/b.conf"));
}

/// Lists everything below a path, with modes.
fn tree(model: &ModelSystem, root: &str) -> Vec<String> {
    let snapshot = model.snapshot();
    let entries = snapshot.iter().filter_map(|(path, entry)| Some((path.strip_prefix(root).ok()?, entry)));
    entries.map(|(path, entry)| format!("{} {:o}", path.display(), entry.mode)).collect()
}

#[tokio::test]
async fn folders() {
    let check = async |destination: &str, more: Written<'_>, expect: &[&str]| {
        let model = Arc::new(model());
        let system: Arc<dyn System> = Arc::clone(&model) as _;
        let fields = at("/src", destination, more);
        let output = apply::<CopyPreparer>(&system, &fields).await;
        assert!(output.starts_with("will change") && !output.contains("error"), "{output}");
        assert_eq!(tree(&model, destination), expect, "{more:?}");
        assert_eq!(plan::<CopyPreparer>(&system, &fields).await, "no change", "{more:?}");
    };
    let tree_entries =
        [" 755", "a.conf 644", "empty 755", "link 777", "sub 755", "sub/.hidden 644", "sub/b.conf 750"];
    check("/srv/new", &[], &tree_entries).await;
    check("/srv/new", &[("purge", true.into())], &tree_entries).await;
    let modes = [("mode", Value::from("0600")), ("dir_mode", "0700".into())];
    check(
        "/srv/new",
        &modes,
        &[" 700", "a.conf 600", "empty 700", "link 777", "sub 700", "sub/.hidden 600", "sub/b.conf 600"],
    )
    .await;
    check(
        "/srv/new",
        &[("links", "skip".into()), ("exclude", list(&["sub", "empty"]))],
        &[" 755", "a.conf 644"],
    )
    .await;
    check("/srv/new", &[("include", list(&["b.*"]))], &[" 755", "sub 755", "sub/b.conf 750"]).await;
    check(
        "/dst",
        &[("exclude", list(&["sub", "empty", "link"]))],
        &[" 755", "a.conf 644", "gone 755", "gone/deep 644", "old 644"],
    )
    .await;
    check(
        "/dst",
        &[("exclude", list(&["sub", "empty", "link"])), ("purge", true.into())],
        &[" 755", "a.conf 644"],
    )
    .await;
    let options =
        [("exclude", list(&["sub", "empty"])), ("only_if_missing", true.into()), ("purge", true.into())];
    check("/dst", &options, &[" 755", "a.conf 644", "link 777"]).await;
    // Entries that are left out stay, and so do the directories that contain them.
    check(
        "/dst",
        &[("exclude", list(&["sub", "empty", "link", "gone/deep"])), ("purge", true.into())],
        &[" 755", "a.conf 644", "gone 755", "gone/deep 644"],
    )
    .await;
    check(
        "/dst",
        &[("include", list(&["*.conf"])), ("purge", true.into())],
        &[" 755", "a.conf 644", "gone 755", "gone/deep 644", "old 644", "sub 755", "sub/b.conf 750"],
    )
    .await;
}

#[tokio::test]
async fn what_is_there_stays_as_it_is() {
    let model = Arc::new(model().with_symlink("/srv/dangling", "nowhere"));
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let missing_only = |more: Written<'_>| [&[("only_if_missing", true.into())], more].concat();
    let output =
        apply::<CopyPreparer>(&system, &at("/src", "/dst", &missing_only(&[("mode", "0600".into())]))).await;
    assert!(output.starts_with("will change") && !output.contains("a.conf: "), "{output}");
    let machine = model.machine();
    assert_eq!(machine.file("/dst/a.conf"), Some(&b"other\n"[..]));
    assert_eq!(machine.file("/dst/sub/b.conf"), Some(&[0xff, 0, b'b'][..]));
    let snapshot = model.snapshot();
    let mode_and_owner = |path: &str| (snapshot[Path::new(path)].mode, snapshot[Path::new(path)].uid);
    assert_eq!((mode_and_owner("/dst/a.conf"), mode_and_owner("/dst/sub/b.conf").0), ((0o644, 1), 0o600));
    // A single file at the destination, and then a dangling link in its place.
    let alone = |to: &str| at("/src/a.conf", to, &missing_only(&[("owner", "daemon".into())]));
    for target in ["/dst/a.conf", "/srv/dangling"] {
        assert_eq!(plan::<CopyPreparer>(&system, &alone(target)).await, "no change", "{target}");
    }
    apply::<CopyPreparer>(&system, &alone("/srv/a.conf")).await;
    assert_eq!(model.machine().file("/srv/a.conf"), Some(&b"a\n"[..]));
    // A file in the place of a directory is an error here as well.
    let output = plan::<CopyPreparer>(&system, &at("/src", "/dst/old", &missing_only(&[]))).await;
    assert!(output.contains("error: "), "{output}");
}

/// Another process creates the file after the check.
#[tokio::test]
async fn what_has_come_meanwhile_stays_as_well() {
    for (from, to, path) in
        [("/src", "/dst", "/dst/sub/b.conf"), ("/src/a.conf", "/srv/a.conf", "/srv/a.conf")]
    {
        let model = Arc::new(model().with_dir("/dst/sub"));
        let cx = context(Arc::clone(&model) as _, RunMode::Apply);
        let fields = at(from, to, &[("only_if_missing", true.into())]);
        let mut task = prepare::<CopyPreparer>(&cx, &fields).await.unwrap();
        task.check(&cx, &converge_core::testing::FakeRenderer::new()).await.unwrap();
        model.alter(|machine| machine.put_file(path, "theirs"));
        task.apply(&cx).await.unwrap();
        assert_eq!(model.machine().file(path), Some(&b"theirs"[..]));
    }
}

#[tokio::test]
async fn contents_links_and_owners() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let fields = at("/src", "/dst", &[("group", "daemon".into())]);
    apply::<CopyPreparer>(&system, &fields).await;
    let machine = model.machine();
    assert_eq!(machine.file("/dst/a.conf"), Some(&b"a\n"[..]));
    assert_eq!(machine.file("/dst/sub/b.conf"), Some(&[0xff, 0, b'b'][..]));
    let snapshot = model.snapshot();
    for path in ["/dst", "/dst/a.conf", "/dst/sub", "/dst/sub/b.conf", "/dst/link"] {
        assert_eq!(snapshot[std::path::Path::new(path)].gid, 1, "{path}");
    }
    // The owner of a replaced file is kept.
    assert_eq!(snapshot[Path::new("/dst/a.conf")].uid, 1);
    assert_eq!(snapshot[std::path::Path::new("/dst/old")].gid, 0);
}

#[tokio::test]
async fn files() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    let check = async |destination: &str, more: Written<'_>, expect: &str| {
        let actual = apply::<CopyPreparer>(&system, &at("/src/sub/b.conf", destination, more)).await;
        assert_eq!(actual, expect, "{destination} {more:?}");
    };
    let expected_change = "will change\n/srv/b: \"other content, or none\" => \"as in the source, 0750\"";
    check("/srv/b", &[], expected_change).await;
    check("/srv/b", &[], "no change").await;
    check(
        "/srv/b",
        &[("mode", "a+r".into()), ("owner", "daemon".into())],
        "will change\n/srv/b: \"other permissions or owner\" => \"0754, UID 1\"",
    )
    .await;
    assert_eq!(model.machine().file("/srv/b"), Some(&[0xff, 0, b'b'][..]));
    check("/srv", &[], "error: cannot read /srv: is a directory").await;
    check(
        "/src/sub/b.conf",
        &[],
        "error: /src/sub/b.conf and /src/sub/b.conf overlap: one is the other, or inside it",
    )
    .await;
}

#[tokio::test]
async fn what_cannot_be_copied_is_said_by_the_check() {
    let check = async |alter: fn(ModelSystem) -> ModelSystem, extra: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(alter(model()));
        let output = plan::<CopyPreparer>(&system, &at("/src", "/dst", extra)).await;
        assert_eq!(output, format!("error: {expect}"), "{extra:?}");
    };
    let out = |link: &str, target: &str| {
        format!(
            "{link} is a link that leads out of the source, to {target}: `links = \"skip\"` leaves links out"
        )
    };
    check(|model| model.with_symlink("/src/out", "/etc"), &[], &out("/src/out", "/etc")).await;
    let sly = out("/src/sly", "/src/sub/../../etc");
    check(|model| model.with_symlink("/src/sly", "/src/sub/../../etc"), &[], &sly).await;
    let near = out("/src/near", "/srcs/a");
    check(|model| model.with_symlink("/src/near", "/srcs/a"), &[], &near).await;
    check(|model| model.with_symlink("/src/sub/out", "../../etc"), &[], &out("/src/sub/out", "../../etc"))
        .await;
    let reason = "is a folder, and the source has something else there";
    check(|model| model.with_file("/src/gone", ""), &[], &format!("/dst/gone {reason}")).await;
    let reason = "is not a folder, and the source has something else there";
    check(|model| model.with_file("/dst/sub", ""), &[], &format!("/dst/sub {reason}")).await;
    // A link that somebody planted is not followed.
    check(|model| model.with_symlink("/dst/sub", "/etc"), &[], &format!("/dst/sub {reason}")).await;
    check(
        |model| model.with_file("/proc/self/mountinfo", "2 1 8:2 / /dst/gone rw - xfs /dev/b rw\n"),
        &[("purge", true.into())],
        "nothing is removed by `purge`: /dst has a mount point in it: /dst/gone, of /dev/b",
    )
    .await;
    check(|model| model, &[("owner", "ghost".into())], "user \"ghost\" does not exist").await;
    check(
        |model| model,
        &[("exclude", list(&["../x"]))],
        "exclude[0]: \"../x\" is not a pattern of paths below a folder",
    )
    .await;
    let system: Arc<dyn System> = Arc::new(model());
    let plan_output = async |source: &str, destination: &str| {
        plan::<CopyPreparer>(&system, &at(source, destination, &[])).await
    };
    for (source, destination) in [("/src", "/src/in"), ("/src/sub", "/src"), ("/src", "/src/../src")] {
        let expect = format!("error: {source} and {destination} overlap: one is the other, or inside it");
        assert_eq!(plan_output(source, destination).await, expect);
    }
    assert_eq!(plan_output("/none", "/dst").await, "error: file \"/none\" does not exist");
    assert!(plan_output("/src", "/none/at/all").await.contains("the directory /none/at does not exist"));
    let ghost = at("/src", "/dst", &[("owner", "ghost".into())]);
    assert_eq!(
        plan_behind::<CopyPreparer>("user.user.ghost", &system, &ghost).await,
        "may change\n# the user \"ghost\" does not exist yet"
    );
    assert_eq!(
        plan_pending::<CopyPreparer>(&system, &at("/none", "/dst", &[])).await,
        "may change\n# /none does not exist yet"
    );
}

#[tokio::test]
async fn a_full_disk_is_told_and_the_next_run_goes_on() {
    let model = Arc::new(model());
    let system: Arc<dyn System> = Arc::clone(&model) as _;
    model.fail_once_after(2);
    let fields = at("/src", "/srv/new", &[]);
    let output = apply::<CopyPreparer>(&system, &fields).await;
    assert!(output.contains("error: ") && output.contains("no space left on device"), "{output}");
    apply::<CopyPreparer>(&system, &fields).await;
    assert_eq!(plan::<CopyPreparer>(&system, &fields).await, "no change");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test makes and looks at what the resource works on")]
async fn on_the_real_machine() {
    if !is_root("file.copy with an owner on the real machine") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("from"), dir.path().join("to"));
    std::fs::create_dir_all(from.join("a/b")).unwrap();
    let large: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(from.join("a/b/large"), &large).unwrap();
    std::os::unix::fs::symlink("b/large", from.join("a/link")).unwrap();
    let fields =
        at(from.to_str().unwrap(), to.to_str().unwrap(), &[("owner", "1".into()), ("purge", true.into())]);
    apply::<CopyPreparer>(&local(), &fields).await;
    assert_eq!(std::fs::read(to.join("a/link")).unwrap(), large);
    assert_eq!(to.join("a/link").symlink_metadata().unwrap().uid(), 1);
    std::fs::write(to.join("a/more"), "").unwrap();
    let mut changed = large.clone();
    changed[400_000] ^= 1;
    std::fs::write(to.join("a/b/large"), &changed).unwrap();
    let output = apply::<CopyPreparer>(&local(), &fields).await;
    assert!(
        output.contains("a/b/large: ") && output.contains("a/more: \"present\" => \"absent\""),
        "{output}"
    );
    assert_eq!(plan::<CopyPreparer>(&local(), &fields).await, "no change");
    assert_eq!(std::fs::read(to.join("a/b/large")).unwrap(), large);
}

laws!(
    CopyPreparer,
    start = model,
    values = ("source", ["/src", "/src/a.conf", "/none"]),
    values = ("destination", ["/dst", "/srv/new", "/srv/none/new"]),
    values = ("include", [list(&["*.conf"])]),
    values = ("exclude", [list(&["sub", "old"])]),
    values = ("owner", ["daemon", "nobody"]),
    values = ("group", ["daemon"])
);
