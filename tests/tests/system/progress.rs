//! Tests of progress events of the command, including excessive numbers of them.

use std::fs;

use converge_tests::{Said, converge, json_schema, root};
use serde_json::Value;

use crate::run::private;
use crate::streams::assert_little_memory;

/// Runs a module in its own folder, which replaces `DIR` in its text.
fn run(arguments: &[&str], text: &str) -> Said {
    let folder = private();
    let path = crate::run::module(folder.path(), &text.replace("DIR", &folder.path().display().to_string()));
    let mut all_arguments = arguments.to_vec();
    all_arguments.push(&path);
    converge(&all_arguments).output().unwrap().into()
}

/// Returns the events of an apply.
///
/// Each one must match the schema, and none of a resource may follow its end.
fn events(text: &str) -> Vec<Value> {
    let output = run(&["apply", "--parallelism", "2", "--format", "json"], text);
    let events = output.events();
    let schema = fs::read_to_string(root().join("docs/schema/event.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut ended = Vec::new();
    // Of several similar events, only one is validated.
    let (mut kind, mut alike) = (Value::Null, 0);
    for event in &events {
        alike = if kind == event["event"] { alike + 1 } else { 0 };
        kind = event["event"].clone();
        if alike < 100 {
            assert_eq!(json_schema::problems(&schema, event), [""; 0], "{event}");
        }
        assert!(event["id"].is_null() || !ended.contains(&event["id"]), "{event} comes behind the end");
        if event["event"] == "resource-finished" {
            ended.push(event["id"].clone());
        }
    }
    assert_eq!(events.last().unwrap()["event"], "run-finished", "{}", output.stderr);
    events
}

fn lines(events: &[Value]) -> Vec<&Value> {
    events.iter().filter(|event| event["event"] == "resource-output").collect()
}

#[test]
fn all_that_happens_is_told_as_it_comes() {
    let events = events(
        r#"
task "a" {
  check = "[ -e DIR/a ]"
  apply = "echo one; sleep 0.01; echo two >&2; touch DIR/a"
  group = "one"
}
task "b" {
  check = "[ -e DIR/b ]"
  apply = "touch DIR/b"
  group = "one"
}
task "flaky" {
  check = "[ -e DIR/flaky ] || { touch DIR/flaky; kill $$; }"
  retry { attempts = 2 delay = "0s" }
}
file.fetch "copy" {
  source      = "DIR/module.hcl"
  destination = "DIR/copy"
}
"#,
    );
    let steps_of = |id: &str| -> Vec<String> {
        let resource_events = events.iter().filter(|event| event["id"] == format!("root/{id}"));
        resource_events
            .map(|event| {
                let detail =
                    ["stage", "line", "lock", "outcome"].into_iter().find_map(|field| event[field].as_str());
                let kind = event["event"].as_str().unwrap().trim_start_matches("resource-");
                format!("{kind} {}", detail.unwrap_or_default())
            })
            .collect()
    };
    let expect = [
        "started ",
        "stage check",
        "stage apply",
        "output one",
        "output two",
        "stage check-after-apply",
        "finished changed",
    ];
    assert_eq!(steps_of("task.a"), expect);
    assert_eq!(steps_of("task.b")[..2], ["waiting group", "started "]);
    let ended = |id: &str| {
        let mut ended = events.iter().filter(|event| event["event"] == "resource-finished");
        ended.find(|event| event["id"] == format!("root/{id}")).unwrap()
    };
    let waited = &ended("task.b")["waited"];
    assert_eq!(waited.as_array().unwrap().len(), 1, "{waited}");
    let parts = ["lock", "name", "held_by"].map(|key| waited[0][key].as_str().unwrap());
    assert_eq!(parts, ["group", "one", "this-run"]);
    assert!(waited[0]["elapsed_seconds"].as_f64() > Some(0.0), "{waited}");
    assert!(ended("task.a")["waited"].is_null(), "{}", ended("task.a"));
    assert!(steps_of("file.fetch.copy").contains(&"bytes ".to_owned()), "{:?}", steps_of("file.fetch.copy"));
    let streams: Vec<&Value> = lines(&events).into_iter().map(|event| &event["stream"]).collect();
    assert_eq!(streams, ["stdout", "stderr"]);
}

#[test]
fn people_read_lines_when_they_ask_for_them() {
    let module = r#"task "a" { check = "[ -e DIR/a ]" apply = "echo one; touch DIR/a" }"#;
    assert!(run(&["apply", "-v"], module).success().stderr.contains("task.a | one\n"));
    let quiet = run(&["apply"], module).success();
    assert_eq!(quiet.stderr, "");
}

/// A script that prints 100 MB of lines needs bounded memory.
///
/// Each line is reported or counted, and the report has the first and last lines.
#[test]
fn a_script_that_prints_without_end_is_bounded() {
    const LINES: u64 = 2_000_000;
    let folder = private();
    let peak = folder.path().join("peak");
    let text = r#"
task.query "flood" {
  query = "yes 0123456789012345678901234567890123456789012345678 | head -n LINES"
}
task.query "peak" {
  query   = "grep VmHWM /proc/$PPID/status > PEAK"
  depends = ["task.query.flood"]
}
"#;
    let text = text.replace("LINES", &LINES.to_string()).replace("PEAK", &peak.display().to_string());
    let events = events(&text);
    let lines = lines(&events);
    let left_out: u64 = events.iter().filter_map(|event| event["events"].as_u64()).sum();
    assert_eq!(lines.len() as u64 + left_out, LINES);
    assert!(lines.iter().all(|line| line["line"].as_str().unwrap().len() == 49));
    assert_little_memory(&peak, "");
}

#[test]
fn what_is_printed_may_be_anything() {
    let events = events(
        r#"
task.query "long" {
  query = "head -c 100000000 /dev/zero | tr '\\0' x"
}
task.query "binary" {
  query   = "head -c 3000000 /dev/urandom"
  depends = ["task.query.long"]
}
"#,
    );
    let long: Vec<&Value> =
        lines(&events).into_iter().filter(|line| line["id"] == "root/task.query.long").collect();
    assert_eq!(long.len(), 1);
    assert_eq!(long[0]["line"].as_str().unwrap(), "x".repeat(4096));
    assert_eq!(long[0]["left_out"], 100_000_000 - 4096);
    assert!(lines(&events).len() > 1);
}

#[test]
fn no_part_of_a_secret_is_told() {
    let secret = "correct-horse-battery";
    let text = r#"
param "password" {
  default   = "correct-horse-battery"
  sensitive = true
}
file.content "password" {
  destination = "DIR/password"
  content     = "{{param `password`}}"
}
task.query "whole" {
  query   = "cat DIR/password; echo"
  depends = ["file.content.password"]
}
task.query "pieces" {
  query   = "head -c 7 DIR/password; sleep 0.05; tail -c +8 DIR/password >&1; echo"
  depends = ["file.content.password"]
}
task.query "cut" {
  query   = "head -c 4080 /dev/zero | tr '\\0' x; cat DIR/password; echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"
  depends = ["file.content.password"]
}
"#;
    let events = events(text);
    let lines = lines(&events);
    assert_eq!(lines.len(), 3, "{lines:?}");
    for line in lines {
        let line = line["line"].as_str().unwrap();
        for window in secret.as_bytes().windows(5) {
            assert!(!line.contains(str::from_utf8(window).unwrap()), "{line}");
        }
        assert!(line.contains("(sensi"), "{line}");
    }
}
