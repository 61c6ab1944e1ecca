//! Tests that a pending refresh survives any end of a run.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use converge_tests::{Said, converge};

use crate::run::private;

/// Returns a module with a file and a task that is refreshed by it and counts its refreshes.
///
/// The task fails while the file `refuse` exists. If the pipe `gate` exists, the task waits for a line from
/// it and then fails.
fn module(folder: &Path) -> String {
    let path = folder.join("site.hcl");
    let text = r#"
file.content "conf" {
  destination = "DIR/conf"
  content     = "new\n"
}

task "reload" {
  check        = "true"
  apply        = <<-END
    if test -p DIR/gate; then
      exec 3<> DIR/gate
      touch DIR/begun
      read line <&3
      exit 1
    fi
    test ! -e DIR/refuse && echo done >> DIR/count
  END
  on_change_of = ["file.content.conf"]
}
"#;
    fs::write(&path, text.replace("DIR", &folder.display().to_string())).unwrap();
    path.display().to_string()
}

fn run(folder: &Path, command: &str) -> Said {
    let site = folder.join("site.hcl").display().to_string();
    let state = folder.join("state").display().to_string();
    let mut arguments = vec![command, "--state-dir", &state];
    if command == "plan" {
        arguments.push("--detailed-exitcode");
    }
    arguments.push(&site);
    converge(&arguments).current_dir(folder).output().unwrap().into()
}

fn count(folder: &Path) -> usize {
    fs::read_to_string(folder.join("count")).map_or(0, |text| text.lines().count())
}

/// Asserts that a refresh is pending.
///
/// Plans show it and change nothing, one apply performs it, and then nothing is left to do.
fn is_owed_once(folder: &Path) {
    let before = count(folder);
    for _ in 0..2 {
        let output = run(folder, "plan");
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stdout.contains("task.reload  will change"), "{output:?}");
        assert!(output.stdout.contains("refresh: pending since run "), "{output:?}");
        assert!(output.stdout.contains(": file.content.conf changed"), "{output:?}");
    }
    assert_eq!(count(folder), before);
    let output = run(folder, "apply");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(count(folder), before + 1);
    let output = run(folder, "plan");
    assert_eq!(output.code, Some(0), "{output:?}");
    let output = run(folder, "apply");
    assert_eq!((output.code, count(folder)), (Some(0), before + 1), "{output:?}");
}

#[test]
fn a_refresh_is_made_once() {
    let folder = private();
    module(folder.path());
    let output = run(folder.path(), "plan");
    assert!(output.stdout.contains("refresh: because file.content.conf will change"), "{output:?}");
    assert!(!folder.path().join("state").exists(), "a plan writes nothing");
    let output = run(folder.path(), "apply");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("refresh: because file.content.conf changed"), "{output:?}");
    assert_eq!(count(folder.path()), 1);
    assert_eq!(run(folder.path(), "plan").code, Some(0));
}

#[test]
fn a_refresh_that_failed_is_made_by_the_next_apply() {
    let folder = private();
    module(folder.path());
    fs::write(folder.path().join("refuse"), "").unwrap();
    let output = run(folder.path(), "apply");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("task.reload  could not be refreshed"), "{output:?}");
    fs::remove_file(folder.path().join("refuse")).unwrap();
    is_owed_once(folder.path());
}

#[test]
fn a_killed_apply_leaves_its_refresh_owed() {
    let folder = private();
    let site = module(folder.path());
    let (gate, start_marker) = (folder.path().join("gate"), folder.path().join("begun"));
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let state = folder.path().join("state").display().to_string();
    let mut child = converge(&["apply", "--state-dir", &state, &site]).stdout(Stdio::null()).spawn().unwrap();
    // The run is killed between the change and the end of the refresh.
    while !start_marker.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("conf")).unwrap(), "new\n");
    // The script of the killed run still runs and holds the pipe. No other apply may start until it ends.
    let locked = converge(&["apply", "--no-wait", "--state-dir", &state, &site]).output().unwrap();
    let locked = Said::from(locked);
    assert_eq!(locked.code, Some(5), "{locked:?}");
    assert!(locked.stderr.contains("/bin/sh) still runs, started by an apply of "), "{locked:?}");
    let mut pipe = fs::OpenOptions::new().read(true).write(true).open(&gate).unwrap();
    pipe.write_all(b"end\n").unwrap();
    fs::remove_file(&gate).unwrap();
    is_owed_once(folder.path());
}

/// The same module under another path is the same module.
#[test]
fn what_is_owed_belongs_to_the_file() {
    let folder = private();
    module(folder.path());
    fs::write(folder.path().join("refuse"), "").unwrap();
    assert_eq!(run(folder.path(), "apply").code, Some(1));
    fs::create_dir(folder.path().join("sub")).unwrap();
    for path in ["site.hcl", "./site.hcl", "sub/../site.hcl"] {
        let output: Said = converge(&["plan", "--state-dir", "state", path])
            .current_dir(folder.path())
            .output()
            .unwrap()
            .into();
        assert!(output.stdout.contains("pending since run"), "{path}: {output:?}");
    }
}

/// Runs a module that writes to another folder, with the same state.
fn run_at(state: &Path, folder: &Path, command: &str, extra: &[&str]) -> Said {
    let (state, site) = (state.display().to_string(), folder.join("site.hcl").display().to_string());
    let mut arguments = vec![command, "--state-dir", &state];
    arguments.extend(extra);
    arguments.push(&site);
    converge(&arguments).output().unwrap().into()
}

/// A module with a pending refresh in the first of two folders.
///
/// `PARAM` in its text is a use of the parameter `word`.
struct Release {
    root: tempfile::TempDir,
}

const RELEASE: &str = r#"
param "word" { default = "new" }

file.content "conf" {
  destination = "ROOT/conf"
  content     = "{{param `word`}}\n"
}

task "reload" {
  check        = "true"
  apply        = "test ! -e ROOT/refuse && echo SAYS >> ROOT/count"
  on_change_of = ["file.content.conf"]
}
"#;

impl Release {
    fn owing(text: &str) -> Self {
        Self::owing_as(text, &[])
    }

    fn owing_as(text: &str, extra: &[&str]) -> Self {
        let release = Self { root: private() };
        release.write("one", &RELEASE.replace("SAYS", text));
        fs::write(release.root.path().join("refuse"), "").unwrap();
        let output = release.run("one", "apply", extra);
        assert_eq!(output.code, Some(1), "{output:?}");
        fs::remove_file(release.root.path().join("refuse")).unwrap();
        release
    }

    fn write(&self, folder: &str, text: &str) {
        let folder = self.root.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let root = self.root.path().display().to_string();
        fs::write(folder.join("site.hcl"), text.replace("ROOT", &root)).unwrap();
    }

    fn run(&self, folder: &str, command: &str, extra: &[&str]) -> Said {
        run_at(&self.root.path().join("state"), &self.root.path().join(folder), command, extra)
    }

    fn count(&self) -> usize {
        count(self.root.path())
    }

    fn records(&self) -> Vec<std::path::PathBuf> {
        let folders = fs::read_dir(self.root.path().join("state/refreshes")).unwrap();
        let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        files.map(|file| file.unwrap().path()).collect()
    }
}

#[test]
fn a_refresh_is_owed_when_the_module_has_moved() {
    for removes in [true, false] {
        let release = Release::owing("done");
        release.write("two", &RELEASE.replace("SAYS", "done"));
        if removes {
            fs::remove_dir_all(release.root.path().join("one")).unwrap();
        }
        let output = release.run("two", "plan", &[]);
        assert!(output.stdout.contains("refresh: pending since run"), "{output:?}");
        assert_eq!(release.run("two", "apply", &[]).code, Some(0));
        assert_eq!((release.count(), release.records().len()), (1, 0));
        assert_eq!(release.run("two", "apply", &[]).code, Some(0));
        assert_eq!(release.count(), 1);
    }
}

#[test]
fn a_refresh_is_owed_to_its_owner_alone() {
    let (blue, green) = (["--owner", "blue"], ["--owner", "green"]);
    let release = Release::owing_as("done", &blue);
    for arguments in [&green[..], &[]] {
        let output = release.run("one", "plan", arguments);
        assert!(output.code == Some(0) && !output.everything().contains("pending since"), "{output:?}");
        assert_eq!(release.run("one", "apply", arguments).code, Some(0));
        assert_eq!(release.count(), 0);
    }
    assert!(release.run("one", "plan", &blue).stdout.contains("refresh: pending since run"));
    assert_eq!(release.run("one", "apply", &blue).code, Some(0));
    assert_eq!(release.count(), 1);
    assert_eq!(release.run("one", "apply", &blue).code, Some(0));
    assert_eq!(release.count(), 1);
}

#[test]
fn a_refresh_is_owed_when_the_text_around_it_is_another() {
    let release = Release::owing("done");
    let text = RELEASE
        .replace("SAYS", "done")
        .replace("param \"word\"", "# More.\nparam \"other\" { default = 1 }\nparam \"word\"");
    for folder in ["two", "one"] {
        release.write(folder, &text);
        let output = release.run(folder, "plan", &[]);
        assert!(output.stdout.contains("refresh: pending since run"), "{folder}: {output:?}");
    }
    // In its own file, the resource keeps its identity whatever its fields.
    release.write("one", &RELEASE.replace("SAYS", "otherwise"));
    assert_eq!(release.run("one", "apply", &[]).code, Some(0));
    assert_eq!((release.count(), release.records().len()), (1, 0));
}

#[test]
fn a_refresh_is_owed_when_a_parameter_has_another_value() {
    let release = Release::owing("'{{param `word`}}'");
    release.write("two", &RELEASE.replace("SAYS", "'{{param `word`}}'"));
    // It may be the same resource, so it is refreshed once. It may also be another, so the refresh stays
    // pending in the first module.
    for _ in 0..2 {
        let output = release.run("two", "apply", &["-p", "word=newer"]);
        assert_eq!((output.code, release.count()), (Some(0), 1), "{output:?}");
    }
    let output = release.run("one", "apply", &["-p", "word=newer"]);
    assert_eq!((output.code, release.count(), release.records().len()), (Some(0), 2, 0), "{output:?}");
}

#[test]
fn a_refresh_is_not_made_by_a_resource_of_the_same_name() {
    let release = Release::owing("done");
    release.write("two", &RELEASE.replace("SAYS", "other"));
    let output = release.run("two", "apply", &[]);
    assert_eq!((output.code, release.count()), (Some(0), 0), "{output:?}");
    assert_eq!(release.records().len(), 1);
    assert_eq!(release.run("one", "apply", &[]).code, Some(0));
    assert_eq!((release.count(), release.records().len()), (1, 0));
}

#[test]
fn what_nothing_is_left_to_do_is_forgotten_after_a_month() {
    let release = Release::owing("done");
    release.write("two", "param \"a\" { default = 1 }\n");
    release.write("three", &RELEASE.replace("SAYS", "other"));
    let make_old = || {
        let path = release.records().remove(0);
        let text = fs::read_to_string(&path).unwrap();
        let since_line = text.lines().find(|line| line.contains("\"since\"")).unwrap();
        fs::write(&path, text.replace(since_line, "  \"since\": \"2020-01-01T00:00:00Z\",")).unwrap();
    };
    // The module still exists, so its pending refresh is kept whatever its age.
    make_old();
    assert_eq!(release.run("three", "apply", &[]).code, Some(0));
    assert_eq!(release.records().len(), 1);
    fs::remove_dir_all(release.root.path().join("one")).unwrap();
    let output = release.run("three", "apply", &[]);
    assert!(output.stderr.contains("task.reload of "), "{output:?}");
    assert!(output.stderr.contains("has a pending refresh since 2020-01-01T00:00:00Z"), "{output:?}");
    assert_eq!(release.records().len(), 0);
}
