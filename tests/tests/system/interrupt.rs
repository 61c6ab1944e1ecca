//! What an interrupt does to a run.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use converge_tests::converge;
use serde_json::Value;

/// Three tasks in a row. Each says that it has begun and waits for a file before it ends.
fn module(folder: &Path) -> String {
    let dir = folder.display();
    let task = |name: &str, depends: &str| {
        format!(
            "task \"{name}\" {{\n  check = \"test -f {dir}/{name}.done\"\n  apply = \"touch {dir}/{name}.begun; \
             while ! test -f {dir}/go; do sleep 0.02; done; touch {dir}/{name}.done\"\n  depends = [{depends}]\n}}\n"
        )
    };
    [task("a", ""), task("b", "\"task.a\""), task("c", "\"task.b\"")].concat()
}

fn start(folder: &Path) -> Child {
    let path = folder.join("module.hcl");
    fs::write(&path, module(folder)).unwrap();
    let path = path.display().to_string();
    let child = converge(&["apply", "--format", "json", &path]).stdout(Stdio::piped()).spawn().unwrap();
    while !folder.join("a.begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn outcome(events: &[Value], name: &str) -> String {
    crate::report(events, name)["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_finishes_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    interrupt(&child);
    let mut events: Vec<Value> = Vec::new();
    // The task is only let go on once the interrupt has been taken.
    while events.last().is_none_or(|event| event["event"] != "interrupted") {
        events.push(serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap());
    }
    fs::write(folder.path().join("go"), "").unwrap();
    events.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(outcome(&events, "task.a"), "changed");
    assert_eq!(outcome(&events, "task.b"), "not-run");
    assert_eq!(outcome(&events, "task.c"), "not-run");
    assert!(!folder.path().join("b.begun").exists());
}

#[test]
fn the_second_cancels_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start(folder.path());
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut events: Vec<Value> = Vec::new();
    for kind in ["finish", "cancel"] {
        interrupt(&child);
        while events.last().is_none_or(|event| event["interrupt"] != kind) {
            events.push(serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap());
        }
    }
    events.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(outcome(&events, "task.a"), "failed");
    assert_eq!(outcome(&events, "task.b"), "not-run");
    assert!(!folder.path().join("a.done").exists());
}
