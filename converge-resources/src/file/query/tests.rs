use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::sync::Arc;
use std::time::Duration;

use converge_core::laws;
use converge_core::testing::FakeRenderer;
use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};

use super::QueryPreparer;
use crate::testing::{Written, context, local, plan, prepare, show};

fn model() -> ModelSystem {
    let model = ModelSystem::new()
        .with_file("/var/log/old.log", "old\n")
        .with_file("/var/log/app/old.log", "older\n")
        .with_symlink("/var/log/link.log", "old.log")
        .with_symlink("/var/log/gone", "nowhere")
        .with_dir("/var/log/dir.log")
        .with_file("/var/log/.hidden.log", "")
        .with_file("/var/binary", [0xff, 0])
        .with_file("/var/large", "x".repeat(200_000))
        .with_mode("/var/log/old.log", 0o640)
        .with_owner("/var/log/old.log", 1, 4000);
    model.advance(Duration::from_hours(1));
    model.with_file("/var/log/new.log", "new\n")
}

/// Returns the exports with these names, and the result of the check.
async fn asked(system: Arc<dyn System>, fields: Written<'_>, names: &[&str]) -> (String, String) {
    let cx = context(system, RunMode::Plan);
    let mut task = prepare::<QueryPreparer>(&cx, fields).await.unwrap();
    let status = show(&task.check(&cx, &FakeRenderer::new()).await);
    let exports = task.exports();
    let value = |name: &&str| match exports.get(&[*name]) {
        Some(Value::String(text)) => text.to_string(),
        Some(value) => value.to_string(),
        None => "none".to_owned(),
    };
    (names.iter().map(value).collect::<Vec<_>>().join(" "), status)
}

/// Runs as another user if this user may read everything.
#[expect(clippy::disallowed_methods, reason = "the test makes what the resource works on")]
#[tokio::test]
async fn what_cannot_be_read_is_left_out() {
    const TEST: &str = "file::query::tests::what_cannot_be_read_is_left_out";
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["open", "shut"] {
        std::fs::create_dir(path(name)).unwrap();
        std::fs::write(path(name).join("a"), "x\n").unwrap();
    }
    std::fs::write(path("open/secret"), "x\n").unwrap();
    for name in ["shut", "open/secret"] {
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    if std::fs::read_dir(path("shut")).is_ok() {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        match again.args(["--exact", TEST]).uid(65534).gid(65534).output() {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout)),
            Err(error) => println!("skipped {TEST}: {error}"),
        }
        return;
    }
    let root = folder.path().display();
    let fields =
        [("glob", Value::from(format!("{root}/**/*"))), ("contains", "x".into()), ("kind", "file".into())];
    let (paths, status) = asked(local(), &fields, &["paths"]).await;
    assert_eq!(paths, format!("[\"{root}/open/a\"]"));
    for name in ["open/secret", "shut"] {
        let warning = format!("warning: {root}/{name} cannot be read, and is left out");
        assert!(status.contains(&warning), "{status}");
    }
    // The folder itself has to be readable.
    let fields = [("glob", Value::from(format!("{root}/shut/*")))];
    assert!(plan::<QueryPreparer>(&local(), &fields).await.contains("permission denied"));
    std::fs::set_permissions(path("shut"), std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[tokio::test]
async fn paths() {
    let check = async |path: &str, more: Written<'_>, expect: &str, said: &str| {
        let fields = [&[("path", Value::from(path))], more].concat();
        let names = ["exists", "kind", "mode", "owner", "group", "size", "link", "content"];
        let answer = asked(Arc::new(model()), &fields, &names).await;
        assert_eq!((&*answer.0, &*answer.1), (expect, said), "{path} {more:?}");
    };
    let old = "true file 0640 daemon 4000 4";
    check("/var/log/old.log", &[], &format!("{old} null old\n"), "no change").await;
    check("/var/log/link.log", &[], &format!("{old} old.log old\n"), "no change").await;
    check("/var/log/old.log", &[("content_limit", 4.into())], &format!("{old} null old\n"), "no change")
        .await;
    check("/var/log/old.log", &[("content_limit", 0.into())], &format!("{old} null null"), "no change").await;
    check(
        "/var/log/old.log",
        &[("content_limit", 3.into())],
        &format!("{old} null null"),
        "no change\n# /var/log/old.log has more than 3 bytes: its content is left out",
    )
    .await;
    check(
        "/var/binary",
        &[],
        "true file 0644 root root 2 null null",
        "no change\n# /var/binary is not UTF-8 text: its content is left out",
    )
    .await;
    let nothing = "false null null null null null null null";
    check("/none", &[], nothing, "no change").await;
    check("/var/log/old.log/x", &[], nothing, "no change").await;
    check("/var/log/gone", &[], "false null null null null null nowhere null", "no change").await;
    let folder =
        asked(Arc::new(model()), &[("path", "/var/log".into())], &["exists", "kind", "content"]).await;
    assert_eq!(folder.0, "true directory null");
}

#[tokio::test]
async fn hashes() {
    let check = async |path: &str, expect: &str| {
        let fields = [("path", Value::from(path)), ("hash", true.into()), ("content_limit", 0.into())];
        assert_eq!(asked(Arc::new(model()), &fields, &["hash"]).await.0, expect, "{path}");
    };
    check("/var/log/new.log", "7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c").await;
    check("/var/log", "null").await;
    check("/none", "null").await;
    // The file is larger than one read.
    check("/var/large", "91e3faafd322bcdf160f3f0ce886acb092b9b9e2a1e8526b40f21a8898a8700b").await;
}

#[tokio::test]
async fn patterns() {
    let check = async |glob: &str, more: Written<'_>, expect: &[&str]| {
        let fields = [&[("glob", Value::from(glob))], more].concat();
        let cx = context(Arc::new(model()), RunMode::Plan);
        let mut task = prepare::<QueryPreparer>(&cx, &fields).await.unwrap();
        task.check(&cx, &FakeRenderer::new()).await.unwrap();
        assert_eq!(task.found.paths, expect, "{glob} {more:?}");
        assert_eq!(task.found.exists, !expect.is_empty());
        let listed: Vec<_> = task.found.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(listed, expect);
    };
    let kind = |kind: &str| ("kind", Value::from(kind));
    check("/var/log/*.log", &[kind("file")], &["/var/log/new.log", "/var/log/old.log"]).await;
    check("/var/log/*.log", &[kind("directory")], &["/var/log/dir.log"]).await;
    check("/var/log/*.log", &[kind("link")], &["/var/log/link.log"]).await;
    check("/var/**/o*.log", &[("min_age", "30m".into())], &["/var/log/app/old.log", "/var/log/old.log"])
        .await;
    check("/var/log/*.log", &[kind("file"), ("min_age", "30m".into())], &["/var/log/old.log"]).await;
    check("/var/log/*.log", &[kind("file"), ("min_age", "2h".into())], &[]).await;
    check("/var/log/.*", &[], &["/var/log/.hidden.log"]).await;
    check("/var/log/*.log", &[kind("file"), ("max_age", "30m".into())], &["/var/log/new.log"]).await;
    let age_range = [("min_age", "30m".into()), ("max_age", "2h".into())];
    check("/var/log/o*.log", &age_range, &["/var/log/old.log"]).await;
    let large = [("min_size", 100_000.into())];
    check("/var/**/*", &large, &["/var/large"]).await;
    check("/var/log/**/o*.log", &[("max_size", 4.into())], &["/var/log/old.log"]).await;
    let contains = |pattern: &str| [("contains", Value::from(pattern))];
    check("/var/log/**/*.log", &contains("^old"), &["/var/log/app/old.log", "/var/log/old.log"]).await;
    check("/var/log/**/*.log", &contains("^old$"), &["/var/log/old.log"]).await;
    check("/var/log/**/*.log", &contains("nothing"), &[]).await;
    check("/none/*", &[], &[]).await;
    check("/var/binary/*", &[], &[]).await;
}

/// Lines of files that are read in several pieces.
#[tokio::test]
async fn lines() {
    let check = async |content: String, pattern: &str, expect: bool| {
        let model = ModelSystem::new().with_file("/srv/it", content.clone());
        let fields = [("glob", Value::from("/srv/*")), ("contains", pattern.into())];
        let actual = asked(Arc::new(model), &fields, &["exists"]).await.0;
        assert_eq!(actual, expect.to_string(), "{pattern} in {} bytes", content.len());
    };
    let filler = "x".repeat(70_000);
    check(format!("{filler}needle\n"), "needle$", true).await;
    check(format!("{filler}\nneedle"), "^needle$", true).await;
    check(format!("{filler}\r\nneedle\r\nend"), "^needle$", true).await;
    check(format!("a\n{filler}\n{filler}\nb"), "^x+$", true).await;
    check(format!("a\n{filler}\n{filler}\nb"), "a.*b", false).await;
    check(String::new(), "", false).await;
    check("\n".to_owned(), "^$", true).await;
    // The beginning of an endless line is examined.
    let endless = "y".repeat((1 << 20) + 10);
    check(format!("needle{endless}"), "^needle", true).await;
    check(format!("{endless}needle\nend"), "needle", false).await;
    check(format!("{endless}needle\nend"), "^end$", true).await;
}

#[tokio::test]
async fn mistakes() {
    let system: Arc<dyn System> = Arc::new(model());
    let check = async |written: Written<'_>, expect: &str| {
        let output = plan::<QueryPreparer>(&system, written).await;
        assert_eq!(output, format!("error: {expect}"), "{written:?}");
    };
    let glob = |glob: &str| ("glob", Value::from(glob));
    check(&[glob("/var")], "glob: nothing in it is a pattern: `*`, `?`, `[..]` and `**` are").await;
    check(&[glob("/*"), ("path", "/".into())], "glob: `path` and `glob` are mutually exclusive").await;
    check(&[("path", "/".into()), ("kind", "file".into())], "kind: `kind` requires `glob`").await;
    let (small, large) = (("max_size", Value::from(1)), ("min_size", Value::from(2)));
    let files = "only files have it: write `kind = \"file\"`, or no `kind`";
    let folders = ("kind", Value::from("directory"));
    check(&[glob("/*"), folders, small.clone()], &format!("max_size: {files}")).await;
    check(&[glob("/*"), small, large], "max_size: it is less than `min_size`, so nothing would be found")
        .await;
    let ages = [glob("/*"), ("min_age", "2h".into()), ("max_age", "1h".into())];
    check(&ages, "max_age: it is less than `min_age`, so nothing would be found").await;
    let output = plan::<QueryPreparer>(&system, &[glob("/*"), ("contains", "(".into())]).await;
    assert!(output.starts_with("error: contains: \"(\" is not a regular expression"), "{output}");
    let many = (0..10_001).fold(ModelSystem::new(), |model, at| model.with_file(format!("/many/{at}"), ""));
    let output = plan::<QueryPreparer>(&(Arc::new(many) as _), &[glob("/many/*")]).await;
    assert_eq!(output, "error: the pattern finds more than 10000 paths");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test makes what the resource looks at")]
async fn on_the_real_machine() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    std::fs::write(dir.path().join("a/x.log"), "x").unwrap();
    std::fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff.log")), "").unwrap();
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a/loop")).unwrap();
    let glob = format!("{}/**/*.log", dir.path().display());
    let answer = asked(local(), &[("glob", Value::from(glob.as_str()))], &["paths"]).await;
    assert_eq!(answer.0, format!("[\"{}/a/x.log\"]", dir.path().display()));
    assert_eq!(answer.1, "no change\n# 1 names that are not UTF-8 are left out");
    let contains = |pattern: &str| [("glob", Value::from(glob.as_str())), ("contains", pattern.into())];
    assert_eq!(asked(local(), &contains("^x$"), &["exists"]).await.0, "true");
    assert_eq!(asked(local(), &contains("y"), &["exists"]).await.0, "false");
}

laws!(
    QueryPreparer,
    start = model,
    values = ("path", ["/var/log/old.log", "/var/log", "/none"]),
    values = ("glob", ["/var/log/*.log", "/var/**/*"]),
    values = ("contains", ["^old", "(a"]),
    only_looks = "a query has no changes"
);
