//! Tests of files that are written together: the failure of one does not affect the others.
#![expect(clippy::disallowed_methods, reason = "a test, which looks at what the system made")]

use std::fs;
use std::path::Path;

use converge_core::testing::{FakeRenderer, ProgressRecorder};
use converge_sdk::ProgressUpdate;
use converge_sdk::prelude::*;

use super::super::ContentPreparer;
use crate::testing::{context, local, prepare};

/// A file of a batch: its name, its extra fields, and the beginning of its error.
type Member<'a> = (&'a str, &'a [(&'static str, Value)], Option<&'a str>);

/// Checks all files, and then applies them at once.
///
/// In `dir`, files without an error have the new content, and the others are unchanged.
async fn check(dir: &Path, members: &[Member<'_>]) {
    let cx = context(local(), RunMode::Apply);
    let mut tasks = Vec::new();
    for (name, extra, _) in members {
        let mut fields = vec![
            ("destination", Value::from(dir.join(name).display().to_string())),
            ("content", Value::from("new")),
        ];
        fields.retain(|(field, _)| extra.iter().all(|(have, _)| have != field));
        fields.extend(extra.iter().cloned());
        let mut task = prepare::<ContentPreparer>(&cx, &fields).await.unwrap();
        assert!(task.check(&cx, &FakeRenderer::new()).await.unwrap().has_changes());
        tasks.push(task);
    }
    let mut batch: Vec<_> = tasks.iter_mut().collect();
    let results = Batch::apply_batch(&mut batch, &cx).await;
    assert_eq!(results.len(), members.len());
    for ((name, _, expect), result) in members.iter().zip(results) {
        let content = fs::read_to_string(dir.join(name)).ok();
        match (expect, result) {
            (None, Ok(_)) => assert_eq!(content.as_deref(), Some("new"), "{name}"),
            (Some(expect), Err(error)) => {
                let error = error.to_string();
                assert!(error.starts_with(expect), "{name}: {error}");
                assert!(matches!(content.as_deref(), None | Some("old")), "{name}: {content:?}");
            }
            (expect, result) => panic!("{name}: {expect:?} {result:?}"),
        }
    }
    let names = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().starts_with(".converge")).collect();
    assert_eq!(left, [""; 0], "something is left behind");
}

fn dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::write(dir.path().join(name), "old").unwrap();
    }
    dir
}

#[tokio::test]
async fn one_that_cannot_be_begun() {
    let dir = dir();
    let missing = format!("the directory {} does not exist", dir.path().join("none").display());
    for name in ["0", "none/file", "z"] {
        assert!(!dir.path().join(name).exists());
    }
    check(
        dir.path(),
        &[("0", &[], None), ("a", &[], None), ("none/file", &[], Some(&missing)), ("z", &[], None)],
    )
    .await;
}

#[tokio::test]
async fn one_that_is_refused() {
    let dir = dir();
    let validate = |content: &str| {
        [
            ("content", Value::from(content)),
            ("validate", Value::from("grep -qx new {} || { echo no; exit 3; }")),
        ]
    };
    let refused = "the new content was refused by `grep -qx new {} || { echo no; exit 3; }`, which ended with exit code 3:\nno";
    let (valid, bad) = (validate("new"), validate("bad"));
    check(
        dir.path(),
        &[("a", &valid, None), ("b", &bad, Some(refused)), ("c", &valid, None), ("d", &bad, Some(refused))],
    )
    .await;
}

/// The validation command of the next file removes the directory after this file has been written.
#[tokio::test]
async fn one_that_cannot_get_its_name() {
    let dir = dir();
    let missing_folder = dir.path().join("gone");
    fs::create_dir(&missing_folder).unwrap();
    let script = format!("rmdir {} && test -e {{}}", missing_folder.display());
    let (backup, removes) = ([("backup", Value::from(true))], [("validate", Value::from(script))]);
    let error = format!("the directory {} does not exist", missing_folder.display());
    let members: [Member<'_>; 4] =
        [("a", &backup, None), ("gone/file", &[], Some(&error)), ("b", &removes, None), ("c", &[], None)];
    check(dir.path(), &members).await;
    assert_eq!(fs::read_to_string(dir.path().join("a.bak")).unwrap(), "old");
}

/// If the backup cannot be made, the new content does not replace the old.
#[tokio::test]
async fn one_whose_backup_cannot_be_made() {
    let dir = dir();
    fs::create_dir(dir.path().join("b.bak")).unwrap();
    let backup = [("backup", Value::from(true))];
    let error = format!("cannot write {}: is a directory", dir.path().join("b.bak").display());
    check(dir.path(), &[("a", &backup, None), ("b", &backup, Some(&error)), ("c", &backup, None)]).await;
}

/// Progress events cover all files of a batch, because only one of the resources seems to be at work.
#[tokio::test]
async fn much_that_is_written_is_told() {
    const LARGE: usize = (2 << 20) + 5;
    let dir = dir();
    let recorder = ProgressRecorder::new();
    let cx = recorder.record(context(local(), RunMode::Apply));
    let write = async |sizes: &[usize]| {
        let mut tasks = Vec::new();
        for (name, size) in ["a", "b", "c"].iter().zip(sizes) {
            let fields = [
                ("destination", Value::from(dir.path().join(name).display().to_string())),
                ("content", Value::from("x".repeat(*size))),
            ];
            let mut task = prepare::<ContentPreparer>(&cx, &fields).await.unwrap();
            task.check(&cx, &FakeRenderer::new()).await.unwrap();
            tasks.push(task);
        }
        for result in Batch::apply_batch(&mut tasks.iter_mut().collect::<Vec<_>>(), &cx).await {
            result.unwrap();
        }
        recorder.take()
    };
    assert_eq!(write(&[7, 8, 9]).await, []);
    // The last file has that content already.
    let updates = write(&[LARGE, LARGE, 9]).await;
    let bytes_of = |update: &ProgressUpdate| match update {
        ProgressUpdate::Bytes { done, total: Some(total) } if *total == 2 * LARGE as u64 => *done,
        other => panic!("{other:?}"),
    };
    let bytes: Vec<u64> = updates.iter().map(bytes_of).collect();
    assert_eq!((bytes.first(), bytes.last()), (Some(&0), Some(&(2 * LARGE as u64))));
    assert!(bytes.len() > 4 && bytes.is_sorted(), "{bytes:?}");
    assert_eq!(fs::metadata(dir.path().join("b")).unwrap().len(), LARGE as u64);
}
