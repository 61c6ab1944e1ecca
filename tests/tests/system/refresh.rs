//! Refreshes that are owed survive whatever ends a run.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use converge_tests::{Said, converge};

/// A file, and a task that takes notice of it: it counts how often it did. While there is a file `refuse` it fails. Where there
/// is a pipe `gate`, it waits for a line from it, and fails.
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

/// The refresh is owed: a plan shows it, however often, and changes nothing; an apply makes it; then all is done.
fn is_owed_once(folder: &Path) {
    let before = count(folder);
    for _ in 0..2 {
        let said = run(folder, "plan");
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.stdout.contains("task.reload  will change"), "{said:?}");
        assert!(said.stdout.contains("refresh: owed since run "), "{said:?}");
        assert!(said.stdout.contains(": file.content.conf changed"), "{said:?}");
    }
    assert_eq!(count(folder), before);
    let said = run(folder, "apply");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(count(folder), before + 1);
    let said = run(folder, "plan");
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = run(folder, "apply");
    assert_eq!((said.code, count(folder)), (Some(0), before + 1), "{said:?}");
}

#[test]
fn a_refresh_is_made_once() {
    let folder = tempfile::tempdir().unwrap();
    module(folder.path());
    let said = run(folder.path(), "plan");
    assert!(said.stdout.contains("refresh: because file.content.conf will change"), "{said:?}");
    assert!(!folder.path().join("state").exists(), "a plan writes nothing");
    let said = run(folder.path(), "apply");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("refresh: because file.content.conf changed"), "{said:?}");
    assert_eq!(count(folder.path()), 1);
    assert_eq!(run(folder.path(), "plan").code, Some(0));
}

#[test]
fn a_refresh_that_failed_is_made_by_the_next_apply() {
    let folder = tempfile::tempdir().unwrap();
    module(folder.path());
    fs::write(folder.path().join("refuse"), "").unwrap();
    let said = run(folder.path(), "apply");
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.stdout.contains("task.reload  could not be refreshed"), "{said:?}");
    fs::remove_file(folder.path().join("refuse")).unwrap();
    is_owed_once(folder.path());
}

#[test]
fn a_killed_apply_leaves_its_refresh_owed() {
    let folder = tempfile::tempdir().unwrap();
    let site = module(folder.path());
    let (gate, begun) = (folder.path().join("gate"), folder.path().join("begun"));
    assert!(Command::new("mkfifo").arg(&gate).status().unwrap().success());
    let state = folder.path().join("state").display().to_string();
    let mut child = converge(&["apply", "--state-dir", &state, &site]).stdout(Stdio::null()).spawn().unwrap();
    // Killed between the change and the end of the refresh.
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was killed");
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("conf")).unwrap(), "new\n");
    // The script of the killed run is on its own now, and has the pipe open: it ends, and does not count.
    let mut pipe = fs::OpenOptions::new().read(true).write(true).open(&gate).unwrap();
    pipe.write_all(b"end\n").unwrap();
    fs::remove_file(&gate).unwrap();
    is_owed_once(folder.path());
}

/// The same module by another path is the same module.
#[test]
fn what_is_owed_belongs_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    module(folder.path());
    fs::write(folder.path().join("refuse"), "").unwrap();
    assert_eq!(run(folder.path(), "apply").code, Some(1));
    fs::create_dir(folder.path().join("sub")).unwrap();
    for path in ["site.hcl", "./site.hcl", "sub/../site.hcl"] {
        let said: Said = converge(&["plan", "--state-dir", "state", path])
            .current_dir(folder.path())
            .output()
            .unwrap()
            .into();
        assert!(said.stdout.contains("owed since run"), "{path}: {said:?}");
    }
    // The same name elsewhere is another one.
    let elsewhere = folder.path().join("sub/site.hcl");
    fs::copy(folder.path().join("site.hcl"), &elsewhere).unwrap();
    let said: Said = converge(&["plan", "--state-dir", "state", "sub/site.hcl"])
        .current_dir(folder.path())
        .output()
        .unwrap()
        .into();
    assert!(said.stdout.contains("Plan: 0 to change"), "{said:?}");
}
