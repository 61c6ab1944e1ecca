//! Tests of valid archives.

use std::sync::Arc;

use converge_core::laws;
use converge_core::testing::ProgressRecorder;
use converge_sdk::prelude::*;
use converge_sdk::system::{EntryKind, ModelSystem, System};
use converge_sdk::{ProgressUpdate, RunMode};

use super::*;
use crate::net::hash::HashType;
use crate::net::unarchive::UnarchivePreparer;
use crate::testing::{Written, apply, apply_task, context, obeys_the_laws, plan, plan_pending, prepare};

fn written(extra: Written<'_>) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("source", Value::from("/a")), ("destination", "/srv".into())];
    for (name, value) in extra {
        fields.retain(|(have, _)| have != name);
        fields.push((name, value.clone()));
    }
    fields
}

fn usual() -> Vec<Made> {
    vec![
        directory("./"),
        directory("etc/").mode(0o750),
        file("etc/app.conf", "port = 80\n"),
        file("bin/app", "#!/bin/sh\n").mode(0o4755),
        symlink("bin/link", "../etc/app.conf"),
        file("empty", ""),
        file("large", vec![b'x'; 200_000]),
        hard_link("again", "bin/app"),
    ]
}

fn model(archive: Vec<u8>) -> ModelSystem {
    ModelSystem::new().with_file("/a", archive).with_dir("/srv")
}

/// Lists everything below `/srv`.
fn shown(model: &ModelSystem) -> Vec<String> {
    let snapshot = model.snapshot();
    let entries = snapshot.iter().filter_map(|(path, entry)| Some((path.strip_prefix("/srv").ok()?, entry)));
    entries
        .map(|(path, entry)| {
            let kind = match &entry.kind {
                EntryKind::Directory => "/".to_owned(),
                EntryKind::Symlink(target) => format!(" -> {}", target.display()),
                EntryKind::File(bytes) if bytes.len() > 20 => format!(": {} bytes", bytes.len()),
                EntryKind::File(bytes) => format!(": {:?}", String::from_utf8_lossy(bytes)),
            };
            format!("{}{kind} {:o}", path.display(), entry.mode)
        })
        .collect()
}

#[tokio::test]
async fn all_formats_give_the_same() {
    let entries = usual();
    // Zip has no hard links.
    let without_links: Vec<_> =
        entries.iter().filter(|entry| entry.kind != EntryType::Link).cloned().collect();
    let tar = tar(&entries);
    let formats = [
        ("gzip", gzip(&tar)),
        ("bzip2", bzip2(&tar)),
        ("xz", xz(&tar)),
        ("zstd", zstd(&tar)),
        ("tar", tar),
        ("zip", zip(&without_links)),
    ];
    for (format, archive) in formats {
        let model = Arc::new(model(archive));
        let system: Arc<dyn System> = model.clone();
        let total = if format == "zip" { 7 } else { 8 };
        let output = apply::<UnarchivePreparer>(&system, &written(&[])).await;
        assert!(output.starts_with(&format!("will change\nmissing: \"{total}: ")), "{format}: {output}");
        assert!(!output.contains("error") && !output.contains("after apply"), "{format}: {output}");
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(&[])).await, "no change", "{format}");
        let mut expect = vec![
            "/ 755",
            "again: \"#!/bin/sh\\n\" 755",
            "bin/ 755",
            "bin/app: \"#!/bin/sh\\n\" 755",
            "bin/link -> ../etc/app.conf 777",
            "empty: \"\" 644",
            "etc/ 750",
            "etc/app.conf: \"port = 80\\n\" 644",
            "large: 200000 bytes 644",
        ];
        if format == "zip" {
            expect.remove(1);
        }
        assert_eq!(shown(&model), expect, "{format}");
    }
}

#[tokio::test]
async fn the_laws() {
    obeys_the_laws::<UnarchivePreparer>(|| model(tar(&usual())), &written(&[])).await;
    obeys_the_laws::<UnarchivePreparer>(
        || {
            model(gzip(&tar(&usual())))
                .with_file("/srv/empty", "no")
                .with_symlink("/srv/etc", "nowhere")
                .with_file("/srv/bin", "x")
        },
        &written(&[("force", true.into())]),
    )
    .await;
    let url = "https://example.com/a.zip";
    obeys_the_laws::<UnarchivePreparer>(
        || ModelSystem::new().with_url(url, zip(&usual()[..5])).with_dir("/srv"),
        &written(&[("source", url.into())]),
    )
    .await;
}

#[tokio::test]
async fn what_a_plan_says() {
    let check = async |change: &dyn Fn(ModelSystem) -> ModelSystem, more: Written<'_>, expect: &str| {
        let unpacked = Arc::new(model(tar(&usual())));
        let system: Arc<dyn System> = unpacked.clone();
        apply::<UnarchivePreparer>(&system, &written(&[])).await;
        let machine = unpacked.machine();
        let changed = change(ModelSystem::new().with(|new| *new = machine));
        let system: Arc<dyn System> = Arc::new(changed);
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, expect, "{more:?}");
    };
    let force = [("force", Value::from(true))];
    check(&|model| model.with_file("/srv/other", "stays"), &[], "no change").await;
    check(
        &|model| model.with(|machine| machine.remove("/srv/etc")),
        &[],
        "will change\nmissing: \"2: etc, etc/app.conf (of 8)\" => \"as in the archive\"",
    )
    .await;
    check(
        &|model| model.with_mode("/srv/bin/app", 0o700).with_mode("/srv/etc", 0o2755),
        &[],
        "will change\nmode: \"2: bin/app, etc (of 8)\" => \"as in the archive\"",
    )
    .await;
    let different = "different: \"2: bin/link, empty (of 8)\" => \"as in the archive\"";
    let meddle =
        |model: ModelSystem| model.with_file("/srv/empty", "no").with_symlink("/srv/bin/link", "elsewhere");
    check(
        &meddle,
        &[],
        &format!("can't change\n{different}\nerror: different files are kept, 2: bin/link, empty; `force = true` replaces it"),
    )
    .await;
    check(&meddle, &force, &format!("will change\n{different}")).await;
    check(
        &|model| model.with(|machine| machine.remove("/srv/empty")).with_dir("/srv/empty"),
        &force,
        "error: /srv/empty is a directory here and something else in the archive: remove it, as directories are never replaced",
    )
    .await;
    // A link in the destination is followed if its target is in the destination.
    let moved = |to: &'static str| {
        move |model: ModelSystem| {
            model
                .with(|machine| machine.remove("/srv/etc"))
                .with_file("/srv/real/app.conf", "port = 80\n")
                .with_file("/outside/app.conf", "port = 80\n")
                .with_symlink("/srv/etc", to)
        }
    };
    check(&moved("real"), &force, "no change").await;
    check(&moved("/srv/./bin/../real"), &force, "no change").await;
    for out in ["/outside", "../outside"] {
        let expect =
            "error: /srv/etc is a symbolic link out of the destination: nothing is written through it";
        check(&moved(out), &force, expect).await;
    }
}

#[tokio::test]
async fn what_is_not_there() {
    let check = async |model: ModelSystem, more: Written<'_>, expect: &str, pending: &str| {
        let system: Arc<dyn System> = Arc::new(model.with_flowing_time());
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, format!("error: {expect}"));
        let output = plan_pending::<UnarchivePreparer>(&system, &written(more)).await;
        assert_eq!(output, format!("may change\n# {pending}"));
    };
    let missing_folder = "the directory /srv does not exist";
    check(
        ModelSystem::new().with_file("/a", tar(&usual())),
        &[],
        &format!("{missing_folder}: declare it with `file.directory`, and name it in `depends`"),
        &format!("{missing_folder} yet"),
    )
    .await;
    let no_file = "file \"/a\" does not exist";
    check(ModelSystem::new().with_dir("/srv"), &[], no_file, &format!("{no_file}, yet")).await;
    let nowhere = "cannot fetch http://nowhere/a: there is no such host";
    let url = [("source", Value::from("http://nowhere/a"))];
    check(ModelSystem::new().with_dir("/srv"), &url, nowhere, &format!("{nowhere}, yet")).await;
    let system: Arc<dyn System> = Arc::new(model(tar(&[])).with_file("/file", ""));
    let file = [("destination", Value::from("/file"))];
    assert_eq!(plan::<UnarchivePreparer>(&system, &written(&file)).await, "error: /file is not a directory");
    assert_eq!(
        plan::<UnarchivePreparer>(&system, &written(&[])).await,
        "no change",
        "an archive without anything"
    );
}

#[tokio::test]
async fn a_hash_is_checked_first() {
    let system: Arc<dyn System> = Arc::new(model(b"hostile".to_vec()));
    let mut hasher = HashType::Sha256.hasher();
    hasher.update(b"hostile");
    let actual_hash = hasher.finish();
    let expected = "0".repeat(64);
    let hash = [("hash_type", Value::from("sha256")), ("hash", expected.clone().into())];
    let output = plan::<UnarchivePreparer>(&system, &written(&hash)).await;
    assert_eq!(output, format!("error: /a has the sha256 {actual_hash}, and {expected} is expected"));
}

#[tokio::test]
async fn an_archive_from_a_server_is_fetched_once_in_a_run() {
    let url = "https://example.com/a";
    let model = Arc::new(ModelSystem::new().with_url(url, xz(&tar(&usual()))).with_dir("/srv"));
    let system: Arc<dyn System> = model.clone();
    let source = [("source", Value::from(url))];
    apply::<UnarchivePreparer>(&system, &written(&source)).await;
    assert_eq!(model.requests().len(), 1);
    assert_eq!(plan::<UnarchivePreparer>(&system, &written(&source)).await, "no change");
}

#[tokio::test]
async fn a_part_of_an_archive() {
    let names = |items: &[&str]| Value::List(items.iter().map(|item| Value::from(*item)).collect());
    let release = [
        directory("app-1.2/"),
        file("app-1.2/README", "r"),
        file("app-1.2/bin/app", "b"),
        hard_link("app-1.2/bin/again", "app-1.2/bin/app"),
        symlink("app-1.2/bin/link", "../README"),
        directory("app-1.2/doc/"),
        file("app-1.2/doc/a.conf", "c"),
        file("pax_global", "p"),
    ];
    let check = async |more: Written<'_>, expect: &[&str]| {
        let model = Arc::new(model(gzip(&tar(&release))));
        let system: Arc<dyn System> = model.clone();
        let output = apply::<UnarchivePreparer>(&system, &written(more)).await;
        assert!(!output.contains("error"), "{output}");
        let paths: Vec<String> =
            shown(&model).iter().filter_map(|line| Some(line.split([' ', ':']).next()?.to_owned())).collect();
        assert_eq!(paths[1..], *expect, "{more:?}");
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, "no change");
    };
    let strip = || ("strip", Value::Int(1));
    check(&[strip()], &["README", "bin/", "bin/again", "bin/app", "bin/link", "doc/", "doc/a.conf"]).await;
    check(&[("strip", Value::Int(2)), ("exclude", names(&["link"]))], &["a.conf", "again", "app"]).await;
    check(&[strip(), ("exclude", names(&["bin", "*.conf"]))], &["README", "doc/"]).await;
    check(&[strip(), ("include", names(&["*.conf", "bin/app"]))], &["bin/", "bin/app", "doc/", "doc/a.conf"])
        .await;
    check(&[("include", names(&["pax_global"]))], &["pax_global"]).await;
}

#[tokio::test]
async fn what_cannot_be_taken_alone_is_refused() {
    let check = async |entries: &[Made], more: Written<'_>, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model(tar(entries)));
        assert_eq!(plan::<UnarchivePreparer>(&system, &written(more)).await, format!("error: {expect}"));
    };
    let entries = [file("a/x", "1"), file("b/x", "2"), hard_link("again", "a/x")];
    check(
        &entries,
        &[("strip", Value::Int(3))],
        "nothing of /a is unpacked: `strip`, `include` and `exclude` leave all of it out",
    )
    .await;
    check(&entries, &[("strip", Value::Int(1))], "cannot unpack /a: \"b/x\" is there twice").await;
    check(
        &entries,
        &[("include", Value::List(vec!["again".into()]))],
        "cannot unpack /a: \"again\" is a hard link to \"a/x\", which is not a file before it in the archive, or is left out",
    )
    .await;
    let conflict = [("force", true.into()), ("only_if_missing", true.into())];
    let system: Arc<dyn System> = Arc::new(model(tar(&entries)));
    let output = plan::<UnarchivePreparer>(&system, &written(&conflict)).await;
    assert!(output.contains("`only_if_missing`") && output.contains("`force`"), "{output}");
}

#[tokio::test]
async fn what_is_there_is_kept() {
    let keep_fields = [("only_if_missing", Value::from(true))];
    let model = Arc::new(
        model(tar(&usual()))
            .with_dir("/srv/etc")
            .with_file("/srv/etc/app.conf", "port = 81\n")
            .with_file("/srv/empty", "not so"),
    );
    let system: Arc<dyn System> = model.clone();
    let output = apply::<UnarchivePreparer>(&system, &written(&keep_fields)).await;
    assert!(!output.contains("error"), "{output}");
    assert_eq!(plan::<UnarchivePreparer>(&system, &written(&keep_fields)).await, "no change");
    let machine = model.machine();
    assert_eq!(machine.file("/srv/etc/app.conf"), Some(&b"port = 81\n"[..]));
    assert_eq!(machine.file("/srv/empty"), Some(&b"not so"[..]));
    assert_eq!(machine.file("/srv/again"), Some(&b"#!/bin/sh\n"[..]));
}

/// A hard link copies a file of the archive, never another file.
#[tokio::test]
async fn what_is_kept_is_no_source_of_a_hard_link() {
    let keep_fields = [("only_if_missing", Value::from(true))];
    let entries = [file("a", "1"), hard_link("b", "a")];
    let model_with = |content: &str| model(tar(&entries)).with_file("/srv/a", content.to_owned());
    let check = async |content: &str, expect: &str| {
        let system: Arc<dyn System> = Arc::new(model_with(content));
        let output = apply::<UnarchivePreparer>(&system, &written(&keep_fields)).await;
        assert!(output.contains(expect), "{output}");
    };
    check("1", "missing: \"1: b (of 2)\" => \"as in the archive\"").await;
    check(
        "2",
        "error: /srv/b is a hard link of a in the archive, and /srv/a is kept and differs: remove it, or do not keep it",
    )
    .await;
}

/// Names that do not fit into a header, in the formats of GNU tar and of POSIX.
#[tokio::test]
async fn long_names() {
    let name = format!("{}/{}", "d".repeat(120), "f".repeat(120));
    let gnu = made("././@LongLink", EntryType::GNULongName, "", format!("{name}\0"));
    let record = format!(" path={name}\n");
    let length = record.len() + 3;
    let posix = made("pax", EntryType::XHeader, "", format!("{length}{record}"));
    for header in [gnu, posix] {
        let model = Arc::new(model(tar(&[header, file("short", "x"), file("next", "y")])));
        let system: Arc<dyn System> = model.clone();
        apply::<UnarchivePreparer>(&system, &written(&[])).await;
        let machine = model.machine();
        assert_eq!(machine.file(format!("/srv/{name}")), Some(&b"x"[..]));
        assert_eq!(machine.file("/srv/next"), Some(&b"y"[..]));
        assert_eq!(machine.file("/srv/short"), None);
    }
}

#[tokio::test]
async fn how_much_was_unpacked_is_told() {
    let mut entries = usual();
    entries.push(file("larger", vec![b'y'; 5 << 20]));
    let total =
        entries.iter().filter(|entry| entry.kind == EntryType::Regular).map(|entry| entry.content.len());
    // The total includes a copy of the program, because the hard link is one.
    let total = total.sum::<usize>() as u64 + "#!/bin/sh\n".len() as u64;
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(context(Arc::new(model(gzip(&tar(&entries)))), RunMode::Apply));
    let mut task = prepare::<UnarchivePreparer>(&cx, &written(&[])).await.unwrap();
    apply_task(&cx, &mut task).await;
    let updates = recorder.take();
    let step = |text: &str| ProgressUpdate::Step { text: text.to_owned() };
    assert_eq!(updates[..2], [step("reading the archive"), step("unpacking")]);
    assert_eq!(updates.last(), Some(&ProgressUpdate::Bytes { done: total, total: Some(total) }));
    assert!((6..12).contains(&updates.len()), "{updates:?}");
}

laws!(
    UnarchivePreparer,
    start = || model(tar(&usual()[..4])),
    values =
        ("source", [written(&[]).into_iter().find(|(name, _)| *name == "source").map(|(_, value)| value)]),
    values = ("destination", ["/srv"]),
    values = ("strip", [Value::Int(0), Value::Int(1)]),
    values = ("force", [true, false])
);
