//! Tests of the lock against concurrent applies, with real processes.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use converge_tests::{Said, converge, with_default_signals};
use tempfile::TempDir;

use crate::run::private;

/// The polling interval, and the number of polls before a test gives up.
const PAUSE: Duration = Duration::from_millis(5);
const LOOKS: usize = 12_000;

/// A module whose task waits for a line from the pipe `gate`, and a state folder.
struct Site {
    folder: TempDir,
}

impl Site {
    /// Creates the module.
    ///
    /// `first` is the script of a task before the waiting one, and `begins` runs before the wait.
    fn new(first: &str, marker: &str) -> Self {
        let site = Self { folder: private() };
        assert!(Command::new("mkfifo").arg(site.path("gate")).status().unwrap().success());
        let text = format!(
            "task \"first\" {{\n  check = \"test -e DIR/first\"\n  apply = \"{first}; touch DIR/first\"\n}}\n\
             task \"waits\" {{\n  check = \"test -e DIR/done\"\n  apply = \"{marker}; exec 3<>DIR/gate; touch DIR/begun; \
             read line <&3; touch DIR/done\"\n  depends = [\"task.first\"]\n}}\n"
        );
        site.write("waits.hcl", &text);
        site.write(
            "quick.hcl",
            "task \"quick\" {\n  check = \"test -e DIR/quick\"\n  apply = \"touch DIR/quick\"\n}\n",
        );
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text.replace("DIR", &self.folder.path().display().to_string())).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = converge(arguments);
        with_default_signals(command.current_dir(self.folder.path()).args(["--state-dir", "state"]))
    }

    fn run(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// Starts an apply and returns once it waits at the pipe.
    fn waiting(&self) -> Child {
        self.waiting_as(&[])
    }

    fn waiting_as(&self, extra: &[&str]) -> Child {
        let arguments = [&["apply", "waits.hcl"], extra].concat();
        let mut child = self.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        wait_for(&self.path("begun"), || assert!(child.try_wait().unwrap().is_none(), "it ended"));
        child
    }

    fn open_gate(&self) {
        let mut gate = fs::OpenOptions::new().read(true).write(true).open(self.path("gate")).unwrap();
        gate.write_all(b"on\n").unwrap();
        wait_for(&self.path("done"), || ());
    }
}

fn wait_for(path: &Path, mut while_waiting: impl FnMut()) {
    for _ in 0..LOOKS {
        if path.exists() {
            return;
        }
        while_waiting();
        sleep(PAUSE);
    }
    panic!("{} does not come", path.display());
}

/// Reads standard error up to a line with this text.
fn said(child: &mut Child, text: &str) -> BufReader<ChildStderr> {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let match_line = stderr.by_ref().lines().map(Result::unwrap).find(|line| line.contains(text));
    assert!(match_line.is_some(), "no line with {text}");
    stderr
}

fn kill(signal: &str, pid: u32) {
    assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}

#[test]
fn the_second_apply_waits_and_says_for_whom() {
    let site = Site::new("true", "true");
    let mut first = site.waiting();
    let mut second =
        site.command(&["apply", "quick.hcl"]).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let holder =
        format!("waiting: process {} applies {} since 2", first.id(), site.path("waits.hcl").display());
    let _stderr = said(&mut second, &holder);
    let json = site.command(&["apply", "--format", "json", "--no-wait", "quick.hcl"]).output().unwrap();
    assert_eq!(json.status.code(), Some(5));
    assert!(!site.path("quick").exists(), "the second has begun");
    site.open_gate();
    assert!(first.wait().unwrap().success());
    assert!(second.wait().unwrap().success());
    assert!(site.path("quick").exists());
    assert_eq!(site.run(&["plan", "quick.hcl"]).stderr, "");
}

#[test]
fn the_wait_can_be_limited_and_a_plan_only_says_that_there_is_an_apply() {
    let site = Site::new("true", "true");
    let mut first = site.waiting();
    for arguments in [["apply", "--no-wait", "quick.hcl"], ["apply", "--lock-timeout=50ms", "quick.hcl"]] {
        let output = site.run(&arguments);
        assert_eq!(output.code, Some(5), "{output:?}");
        let expect = format!(
            "error: quick.hcl was not started: another apply is running: process {} applies",
            first.id()
        );
        assert!(output.stderr.contains(&expect), "{output:?}");
    }
    assert!(!site.path("quick").exists());
    let output = site.run(&["plan", "quick.hcl"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(
        output.stderr.contains(&format!("an apply is running, so this may change: process {}", first.id())),
        "{output:?}"
    );
    let other_state: Said = converge(&["apply", "--state-dir", "other", "quick.hcl"])
        .current_dir(site.folder.path())
        .output()
        .unwrap()
        .into();
    assert_eq!(other_state.code, Some(0), "another state: {other_state:?}");
    site.open_gate();
    assert!(first.wait().unwrap().success());
}

#[test]
fn an_apply_of_another_owner_is_not_waited_for() {
    let site = Site::new("true", "true");
    let mut first = site.waiting_as(&["--owner", "blue"]);
    let as_owner = |owner| site.run(&["apply", "--no-wait", "--owner", owner, "quick.hcl"]);
    let output = as_owner("blue");
    assert_eq!(output.code, Some(5), "{output:?}");
    let planned = site.run(&["plan", "--owner", "green", "quick.hcl"]);
    assert_eq!((planned.code, &*planned.stderr), (Some(0), ""), "it is not told of blue");
    assert_eq!(as_owner("green").code, Some(0));
    assert!(site.path("quick").exists());
    // A run without a name is a separate owner.
    assert_eq!(site.run(&["apply", "--no-wait", "quick.hcl"]).code, Some(0));
    let output = as_owner("../blue");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("\"../blue\" cannot name an owner"), "{output:?}");
    site.open_gate();
    assert!(first.wait().unwrap().success());
}

#[test]
fn the_wait_can_be_interrupted() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let site = Site::new("true", "true");
        let mut first = site.waiting();
        let mut second = site
            .command(&["apply", "quick.hcl"])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut stderr = said(&mut second, "waiting: ");
        kill(signal, second.id());
        assert_eq!(second.wait().unwrap().code(), Some(130), "{signal}");
        let mut rest = String::new();
        stderr.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("interrupted while waiting"), "{signal}: {rest}");
        site.open_gate();
        assert!(first.wait().unwrap().success());
        assert!(!site.path("quick").exists(), "{signal}");
    }
}

#[test]
fn a_script_of_a_killed_apply_keeps_the_lock_until_it_has_ended() {
    let site = Site::new("true", "true");
    let mut first = site.waiting();
    first.kill().unwrap();
    first.wait().unwrap();
    let said_of_plan = site.run(&["plan", "quick.hcl"]);
    assert!(said_of_plan.stderr.contains("/bin/sh) still runs"), "{said_of_plan:?}");
    let mut second =
        site.command(&["apply", "quick.hcl"]).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let waits =
        format!("still runs, started by an apply of {} that was killed", site.path("waits.hcl").display());
    let _stderr = said(&mut second, &waits);
    assert!(!site.path("quick").exists(), "the second has begun");
    site.open_gate();
    assert!(second.wait().unwrap().success());
    assert!(site.path("quick").exists());
}

/// Kills a background process of a test on drop.
struct Background(PathBuf);

impl Drop for Background {
    fn drop(&mut self) {
        for pid in fs::read_to_string(&self.0).unwrap_or_default().split_whitespace() {
            let _ = Command::new("kill").args(["-KILL", pid]).status();
        }
    }
}

#[test]
fn what_a_script_has_left_in_the_background_holds_nothing() {
    let background =
        |name: &str| format!("sleep 1000 & echo $! >> DIR/{name}; setsid sleep 1000 & echo $! >> DIR/{name}");
    let site = Site::new(&background("pids"), &background("pids"));
    let _background = Background(site.path("pids"));
    let mut first = site.waiting();
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(site.run(&["apply", "--no-wait", "quick.hcl"]).code, Some(5), "the script still runs");
    site.open_gate();
    // The shell ends a moment after its last command.
    let is_free = (0..LOOKS).any(|_| site.run(&["apply", "--no-wait", "quick.hcl"]).code == Some(0));
    assert!(is_free && site.path("quick").exists());
    for pid in fs::read_to_string(site.path("pids")).unwrap().split_whitespace() {
        assert!(Path::new("/proc").join(pid).exists(), "{pid} was to go on");
    }
}

#[test]
fn a_run_in_order_leaves_the_lock_to_nobody() {
    let site = Site::new("sleep 1000 & echo $! >> DIR/pids", "true");
    let _background = Background(site.path("pids"));
    let mut first = site.waiting();
    site.open_gate();
    assert!(first.wait().unwrap().success());
    assert_eq!(site.run(&["apply", "--no-wait", "quick.hcl"]).code, Some(0));
}

#[test]
fn a_state_that_others_can_write_to_is_refused() {
    let open = tempfile::tempdir().unwrap();
    fs::set_permissions(open.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let site = Site::new("true", "true");
    let state = open.path().join("state").display().to_string();
    let apply = |command: &str| -> Said {
        converge(&[command, "--state-dir", &state, "quick.hcl"])
            .current_dir(site.folder.path())
            .output()
            .unwrap()
            .into()
    };
    let output = apply("apply");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("so others than its owner may write there"), "{output:?}");
    assert!(!site.path("quick").exists());
    let output = apply("plan");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("warning: pending refreshes are not shown"), "{output:?}");
}
