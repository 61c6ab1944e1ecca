//! What an interrupt does to a run.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use converge_tests::{Said, converge};
use serde_json::Value;

/// Three tasks in a row. Each says that it has begun, and waits for a line from the pipe `go` before it ends.
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
    let path = folder.join("module.hcl");
    fs::write(&path, module(folder)).unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("go")).status().unwrap().success());
    let path = path.display().to_string();
    let mut child = converge(&["apply", "--format", "json", &path]).stdout(Stdio::piped()).spawn().unwrap();
    while !folder.join("a.begun").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before the first task began");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child
}

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// What a run says, as it says it.
struct Run {
    child: Child,
    output: BufReader<ChildStdout>,
    stdout: String,
}

impl Run {
    fn of(mut child: Child) -> Self {
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
    let mut run = Run::of(start(folder.path()));
    interrupt(&run.child);
    // The task is only let go on once the interrupt has been taken.
    run.wait_for("event", "interrupted");
    fs::write(folder.path().join("go"), "on\n").unwrap();
    let said = run.end();
    assert_eq!(said.code, Some(130));
    assert_eq!(said.report("task.a")["outcome"], "changed");
    assert_eq!(said.report("task.b")["outcome"], "not-run");
    assert_eq!(said.report("task.c")["outcome"], "not-run");
    assert!(!folder.path().join("b.begun").exists());
}

#[test]
fn the_second_cancels_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::of(start(folder.path()));
    for kind in ["finish", "cancel"] {
        interrupt(&run.child);
        run.wait_for("interrupt", kind);
    }
    let said = run.end();
    assert_eq!(said.code, Some(130));
    assert_eq!(said.report("task.a")["outcome"], "failed");
    assert_eq!(said.report("task.b")["outcome"], "not-run");
    assert!(!folder.path().join("a.done").exists());
}
