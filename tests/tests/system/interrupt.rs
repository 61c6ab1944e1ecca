//! Tests of interrupted runs.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use converge_tests::{Said, converge};
use serde_json::Value;

/// Returns three tasks in a row, which announce their start and wait for a line from the pipe `go`.
fn module(folder: &Path) -> String {
    let dir = folder.display();
    let task = |name: &str, depends: &str| {
        format!(
            "task \"{name}\" {{\n  check = \"test -f {dir}/{name}.done\"\n  apply = \"touch {dir}/{name}.begun; \
             read line < {dir}/go; touch {dir}/{name}.done\"\n  depends = [{depends}]\n}}\n"
        )
    };
    [task("a", ""), task("b", "\"task.a\""), task("c", "\"task.b\"")].concat()
}

fn start(folder: &Path) -> Child {
    start_module(folder, &module(folder), "a.begun")
}

/// Starts an apply, and waits until a file exists.
fn start_module(folder: &Path, module: &str, marker: &str) -> Child {
    let path = folder.join("module.hcl");
    fs::write(&path, module).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("go")).status().unwrap().success());
    start_again(folder, &path.display().to_string(), marker)
}

fn start_again(folder: &Path, path: &str, marker: &str) -> Child {
    let mut child = converge(&["apply", "--format", "json", path]).stdout(Stdio::piped()).spawn().unwrap();
    while !folder.join(marker).exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before {marker}");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// A run with its events as they arrive.
struct Run {
    child: Child,
    output: BufReader<ChildStdout>,
    stdout: String,
}

impl Run {
    fn new(mut child: Child) -> Self {
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, output, stdout: String::new() }
    }

    /// Waits for an event with this value.
    fn wait_for(&mut self, key: &str, value: &str) {
        loop {
            let begin = self.stdout.len();
            assert!(self.output.read_line(&mut self.stdout).unwrap() > 0, "it ended: {}", self.stdout);
            let event: Value = serde_json::from_str(&self.stdout[begin..]).unwrap();
            if event[key] == value {
                return;
            }
        }
    }

    fn end(mut self) -> Said {
        self.output.read_to_string(&mut self.stdout).unwrap();
        let code = self.child.wait().unwrap().code();
        Said { code, stdout: self.stdout, stderr: String::new() }
    }
}

#[test]
fn the_first_finishes_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::new(start(folder.path()));
    interrupt(&run.child);
    // The task may only continue after the interrupt was handled.
    run.wait_for("event", "interrupted");
    fs::write(folder.path().join("go"), "on\n").unwrap();
    let output = run.end();
    assert_eq!(output.code, Some(130));
    assert_eq!(output.report("task.a")["outcome"], "changed");
    assert_eq!(output.report("task.b")["outcome"], "not-run");
    assert_eq!(output.report("task.c")["outcome"], "not-run");
    assert!(!folder.path().join("b.begun").exists());
}

#[test]
fn the_second_cancels_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::new(start(folder.path()));
    for kind in ["finish", "cancel"] {
        interrupt(&run.child);
        run.wait_for("interrupt", kind);
    }
    let output = run.end();
    assert_eq!(output.code, Some(130));
    assert_eq!(output.report("task.a")["outcome"], "failed");
    assert_eq!(output.report("task.b")["outcome"], "not-run");
    assert!(!folder.path().join("a.done").exists());
}

/// Returns three files in one batch, and a fourth after them.
///
/// The validation of the second file waits for a line from the pipe `go`. By then the first is written, but
/// does not have its final name yet.
fn batch(folder: &Path) -> String {
    let dir = folder.display();
    let file = |name: &str, more: &str| {
        format!(
            "file.content \"{name}\" {{\n  destination = \"{dir}/{name}.conf\"\n  content = \"new\"\n  {more}\n}}\n"
        )
    };
    let validate = format!("validate = \"touch {dir}/b.begun; read line < {dir}/go; test -s {{}}\"");
    let after = "depends = [\"file.content.a\", \"file.content.b\", \"file.content.c\"]";
    [file("a", ""), file("b", &validate), file("c", ""), file("d", after)].concat()
}

/// Returns which of the four files are new; the others must be unchanged.
fn written(folder: &Path) -> Vec<&'static str> {
    let is_new = |name: &&str| match &*fs::read(folder.join(format!("{name}.conf"))).unwrap() {
        b"new" => true,
        b"old" => false,
        other => panic!("{name} is {other:?}"),
    };
    ["a", "b", "c", "d"].into_iter().filter(is_new).collect()
}

fn start_batch(folder: &Path) -> Run {
    for name in ["a", "b", "c", "d"] {
        fs::write(folder.join(format!("{name}.conf")), "old").unwrap();
    }
    Run::new(start_module(folder, &batch(folder), "b.begun"))
}

#[test]
fn the_first_finishes_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = start_batch(folder.path());
    interrupt(&run.child);
    run.wait_for("event", "interrupted");
    fs::write(folder.path().join("go"), "on\n").unwrap();
    let output = run.end();
    assert_eq!(output.code, Some(130));
    for name in ["a", "b", "c"] {
        assert_eq!(
            output.report(&format!("file.content.{name}"))["outcome"],
            "changed",
            "{name}: {}",
            output.stdout
        );
    }
    assert_eq!(output.report("file.content.d")["outcome"], "not-run");
    assert_eq!(written(folder.path()), ["a", "b", "c"]);
}

/// No file gets its final name: files that are reported as failed are unchanged.
#[test]
fn the_second_cancels_a_batch() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = start_batch(folder.path());
    for kind in ["finish", "cancel"] {
        interrupt(&run.child);
        run.wait_for("interrupt", kind);
    }
    let output = run.end();
    assert_eq!(output.code, Some(130));
    for name in ["a", "b", "c"] {
        assert_eq!(
            output.report(&format!("file.content.{name}"))["outcome"],
            "failed",
            "{name}: {}",
            output.stdout
        );
    }
    assert_eq!(output.report("file.content.d")["outcome"], "not-run");
    assert!(written(folder.path()).is_empty(), "{:?}", written(folder.path()));
    // The next run makes all changes, and removes the leftovers of the second file.
    let path = folder.path().join("module.hcl").display().to_string();
    fs::remove_file(folder.path().join("b.begun")).unwrap();
    let next = Run::new(start_again(folder.path(), &path, "b.begun"));
    fs::write(folder.path().join("go"), "on\n").unwrap();
    assert_eq!(next.end().code, Some(0));
    assert_eq!(written(folder.path()), ["a", "b", "c", "d"]);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with(".converge")), "{left:?}");
}
