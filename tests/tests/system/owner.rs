//! Tests of `file.owner` on real files with the users of this machine.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use converge_tests::{is_root, skip};

use crate::run::converge;

const BY_NAME: &str = r#"
param "file" {}
param "user" {}
param "group" {}

file.owner "page" {
  destination = "{{param `file`}}"
  user        = "{{param `user`}}"
  group       = "{{param `group`}}"
}
"#;

const BY_ID: &str = r#"
param "file" {}

file.owner "page" {
  destination = "{{param `file`}}"
  uid         = 1
  gid         = 2
}
"#;

const MADE_BY_THE_RUN: &str = r#"
param "file" {}

file.content "page" {
  destination = "{{param `file`}}"
  content     = "page"
}

file.owner "page" {
  destination = "{{lookup `file.content.page.destination`}}"
  user        = "daemon"
}
"#;

fn ready(test: &str) -> bool {
    if !is_root() {
        skip(test, "changing the owner of a file needs root");
        return false;
    }
    true
}

fn owner(path: &Path) -> (u32, u32) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.uid(), metadata.gid())
}

/// Plans, applies and applies again, and checks every step.
fn check(module: &str, params: &[&str], expect: &[(&str, &str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page");
    fs::write(&file, "page").unwrap();
    chown(&file, Some(0), Some(0)).unwrap();
    let file_param = format!("file={}", file.display());
    let mut params: Vec<&str> = params.iter().flat_map(|param| ["-p", param]).collect();
    params.extend(["-p", &file_param, "--format", "json"]);
    let run = |command: &str| {
        let output = converge(folder.path(), &[&[command][..], &params].concat(), module);
        assert_eq!(output.code, Some(0), "{command}: {output:?}");
        (output.report("file.owner.page")["outcome"].clone(), output.differences("file.owner.page"))
    };

    let (outcome, differences) = run("plan");
    assert_eq!(outcome, "will-change");
    let expect: Vec<_> = expect.iter().map(|(a, b, c)| ((*a).into(), (*b).into(), (*c).into())).collect();
    assert_eq!(differences, expect);
    assert_eq!(owner(&file), (0, 0), "a plan changes nothing");

    assert_eq!(run("apply").0, "changed");
    assert_eq!(owner(&file), (1, 2));

    let (outcome, differences) = run("apply");
    assert_eq!(outcome, "unchanged");
    assert_eq!(differences, []);
}

#[test]
fn each_value_is_shown_under_its_own_name() {
    if !ready("each_value_is_shown_under_its_own_name") {
        return;
    }
    let changes =
        [("UID", "0", "1"), ("GID", "0", "2"), ("user", "root", "daemon"), ("group", "root", "bin")];
    check(BY_NAME, &["user=daemon", "group=bin"], &changes);
    check(BY_ID, &[], &changes);
}

#[test]
fn the_plan_reads_like_this() {
    if !ready("the_plan_reads_like_this") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page");
    fs::write(&file, "page").unwrap();
    chown(&file, Some(0), Some(0)).unwrap();
    let file = format!("file={}", file.display());
    let output = converge(folder.path(), &["plan", "--local", "-p", &file, "--color", "never"], BY_ID);
    assert!(output.stdout.contains("UID: \"0\" => \"1\""), "{output:?}");
    assert!(output.stdout.contains("GID: \"0\" => \"2\""), "{output:?}");
    assert!(output.stdout.contains("user: \"root\" => \"daemon\""), "{output:?}");
    assert!(output.stdout.contains("group: \"root\" => \"bin\""), "{output:?}");
}

#[test]
fn a_user_by_name_and_by_id_is_one_error_at_both_places() {
    let folder = tempfile::tempdir().unwrap();
    let text = "file.owner \"page\" {\n  destination = \"page\"\n  user = \"daemon\"\n  uid = 1\n}\n";
    let output = converge(folder.path(), &["plan", "--color", "never"], text);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stderr.matches("error[").count(), 1, "{}", output.stderr);
    assert!(output.stderr.contains("error[mutually-exclusive]"), "{}", output.stderr);
    assert!(output.stderr.contains("`user` and `uid` are mutually exclusive"), "{}", output.stderr);
    let underlined = |line: &str, mark: &str| {
        let lines: Vec<&str> = output.stderr.lines().collect();
        let position = lines.iter().position(|have| have.contains(line)).unwrap();
        assert!(lines[position + 1].contains(mark), "{line}: {}", output.stderr);
    };
    underlined("uid = 1", "^^^");
    underlined("user = \"daemon\"", "----");
}

#[test]
fn an_unknown_user_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page");
    fs::write(&file, "page").unwrap();
    let file = format!("file={}", file.display());
    let params = ["plan", "-p", &file, "-p", "user=nosuchuser", "-p", "group=bin"];
    let output = converge(folder.path(), &params, BY_NAME);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.contains("user \"nosuchuser\" does not exist"), "{output:?}");
}

#[test]
fn a_file_that_the_same_run_makes_may_change() {
    if !ready("a_file_that_the_same_run_makes_may_change") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page");
    let file = format!("file={}", path.display());
    let run = |command| converge(folder.path(), &[command, "-p", &file, "--format", "json"], MADE_BY_THE_RUN);

    let planned = run("plan");
    assert_eq!(planned.report("file.content.page")["outcome"], "will-change");
    assert_eq!(planned.report("file.owner.page")["outcome"], "may-change");
    let applied = run("apply");
    assert_eq!(applied.report("file.owner.page")["outcome"], "changed");
    assert_eq!(owner(&path).0, 1);
    assert_eq!(run("apply").report("file.owner.page")["outcome"], "unchanged");
}
