//! Tests of signals, and of readers that close the output.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};

use crate::env::Env;

/// The interval of checks whether the command has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// The number of checks before the command is considered hung.
const MAX_CHECKS: usize = 6000;

/// A module in which `a` runs until something is written to `gate`, and `b` waits for `a`.
const WAITING_MODULE: &str = "task \"a\" {\n  check = \"test -e DIR/done\"\n  apply = \"read line < DIR/gate; touch DIR/done\"\n}\n\
                     task \"b\" {\n  check = \"test -e DIR/b\"\n  apply = \"touch DIR/b\"\n  depends = [\"task.a\"]\n}\n";

/// A running apply whose events are read meanwhile.
struct Running {
    child: Child,
    events: BufReader<ChildStdout>,
}

impl Running {
    fn start(env: &Env) -> Self {
        Self::start_with(env, Stdio::null())
    }

    fn start_with(env: &Env, stderr: Stdio) -> Self {
        mkfifo(&env.path().join("gate"), Mode::S_IRWXU).unwrap();
        // The process that runs the tests may ignore SIGHUP (`nohup`) or SIGINT (a background job of a
        // shell), which child processes inherit. `env` resets the signals and then becomes the program, so
        // the process is the same.
        let mut child = Command::new("env")
            .args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_converge")])
            .args(["apply", "--format", "json", "a.hcl"])
            .current_dir(env.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .env("CONVERGE_STATE_DIR", env.path().join("state"))
            .stderr(stderr)
            .spawn()
            .unwrap();
        let events = BufReader::new(child.stdout.take().unwrap());
        Self { child, events }
    }

    /// Reads until the first event that contains this text.
    fn wait_for(&mut self, text: &str) {
        let event = self.events.by_ref().lines().map(Result::unwrap).find(|line| line.contains(text));
        assert!(event.is_some(), "no event with {text}");
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Returns the remaining events and the exit code.
    fn finish(mut self) -> (String, Option<i32>) {
        let events: Vec<String> = self.events.lines().map(Result::unwrap).collect();
        (events.join("\n"), self.child.wait().unwrap().code())
    }
}

#[test]
fn the_first_signal_lets_work_finish() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let env = Env::with("a.hcl", WAITING_MODULE);
        let mut running = Running::start(&env);
        running.wait_for("\"resource-started\",\"id\":\"root/task.a\"");
        running.signal(signal);
        running.wait_for("\"interrupted\",\"interrupt\":\"finish\"");
        env.write("gate", "go on\n");
        let (events, code) = running.finish();
        assert!(events.contains("\"id\":\"root/task.a\",\"outcome\":\"changed\""), "{events}");
        assert!(events.contains("\"id\":\"root/task.b\",\"outcome\":\"not-run\""), "{events}");
        assert_eq!(code, Some(130), "{events}");
        assert_eq!((env.read("done").is_some(), env.read("b").is_some()), (true, false));
    }
}

#[test]
fn the_second_signal_cancels() {
    let env = Env::with("a.hcl", WAITING_MODULE);
    let mut running = Running::start(&env);
    running.wait_for("\"resource-started\",\"id\":\"root/task.a\"");
    running.signal(Signal::SIGINT);
    running.wait_for("\"interrupted\",\"interrupt\":\"finish\"");
    running.signal(Signal::SIGINT);
    let (events, code) = running.finish();
    assert!(events.contains("\"interrupted\",\"interrupt\":\"cancel\""), "{events}");
    assert!(events.contains("\"id\":\"root/task.a\",\"outcome\":\"failed\""), "{events}");
    assert!(events.contains("\"event\":\"run-finished\""), "{events}");
    assert_eq!(code, Some(130), "{events}");
    assert_eq!(env.read("done"), None);
}

#[test]
fn a_reader_that_leaves_ends_the_run_in_order() {
    for closes in ["stdout", "both"] {
        let env = Env::with(
            "a.hcl",
            &format!(
                "{WAITING_MODULE}task \"c\" {{\n  check = \"exec 3<>DIR/second; read line <&3; test -e DIR/c\"\n  apply = \"touch DIR/c\"\n  \
                 depends = [\"task.b\"]\n}}\ntask \"d\" {{\n  check = \"test -e DIR/d\"\n  apply = \"touch DIR/d\"\n  \
                 depends = [\"task.c\"]\n}}\n"
            ),
        );
        mkfifo(&env.path().join("second"), Mode::S_IRWXU).unwrap();
        let mut running = Running::start_with(&env, Stdio::piped());
        running.wait_for("\"resource-started\",\"id\":\"root/task.a\"");
        let Running { mut child, events } = running;
        drop(events);
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        env.write("gate", "go on\n");
        let mut output = String::new();
        if closes == "both" {
            drop(stderr);
            // No output can be read here. When the command has ended, `c` has not ended, or not even begun.
            let mut gate =
                std::fs::OpenOptions::new().read(true).write(true).open(env.path().join("second")).unwrap();
            let ended = (0..MAX_CHECKS).find_map(|_| {
                thread::sleep(PAUSE);
                gate.write_all(b"\n").unwrap();
                child.try_wait().unwrap()
            });
            assert_eq!(ended.and_then(|status| status.code()), Some(130));
            continue;
        }
        stderr.read_line(&mut output).unwrap();
        assert!(output.contains("interrupted"), "{output}");
        let mut gate =
            std::fs::OpenOptions::new().read(true).write(true).open(env.path().join("second")).unwrap();
        gate.write_all(b"on\non\n").unwrap();
        stderr.read_to_string(&mut output).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
        // The counts are written to the stream that may still have a reader.
        assert!(output.contains("\"event\":\"run-finished\""), "{output}");
        assert!(env.read("done").is_some() && env.read("d").is_none(), "{output}");
    }
}

#[test]
fn a_reader_that_does_not_read_cannot_hold_it_up() {
    let params = (0..5000)
        .fold(String::new(), |text, number| text + &format!("param \"p{number}\" {{ default = 1 }}\n"));
    // The run does not end by itself, however late a signal comes.
    let env = Env::with("a.hcl", &(params + WAITING_MODULE));
    let mut running = Running::start(&env);
    running.wait_for("run-started");
    // There are more events than fit the pipe. Nothing is read from here on, and signals must still be
    // handled.
    let ended = (0..MAX_CHECKS).find_map(|_| {
        running.signal(Signal::SIGINT);
        thread::sleep(PAUSE);
        running.child.try_wait().unwrap()
    });
    if ended.is_none() {
        running.child.kill().unwrap();
    }
    assert_eq!(ended.and_then(|status| status.code()), Some(130));
}
