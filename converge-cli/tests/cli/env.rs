//! A test environment: a folder with modules, and the output of the command in it.

use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;
use converge_core::testing::private_folder;
use tempfile::TempDir;

/// The timeout of the command, which only a hang exceeds.
const PATIENCE: Duration = Duration::from_mins(1);

/// A temporary folder that the command runs in.
pub(crate) struct Env {
    folder: TempDir,
}

/// The output of one run of the command.
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    code: Option<i32>,
}

impl Env {
    /// Creates a folder with one file; `DIR` in its text stands for the folder.
    ///
    /// No other user can write to the folder, because the state is in it.
    pub(crate) fn with(name: &str, text: &str) -> Self {
        let place = private_folder(env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap();
        let env = Self { folder: tempfile::tempdir_in(place).unwrap() };
        env.write(name, text);
        env
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let folder = self.path().display().to_string();
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("DIR", &folder)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path().join(name)).ok()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_as(&[], args, "")
    }

    /// Runs the command with a text on its standard input.
    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Run {
        self.run_as(&[], args, input)
    }

    /// Runs the command with these environment variables.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Run {
        self.run_as(variables, args, "")
    }

    fn run_as(&self, variables: &[(&str, &str)], args: &[&str], input: &str) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_converge"))
            .args(args)
            .current_dir(self.path())
            .env_remove("CONVERGE_LOG")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("CONVERGE_OFFLINE")
            .env("CONVERGE_STATE_DIR", self.folder.path().join("state"))
            // A configured proxy cannot reach the servers of the tests.
            .env("NO_PROXY", "127.0.0.1")
            .env("CONVERGE_CACHE_DIR", self.path().join(".cache"))
            .envs(variables.iter().copied())
            .write_stdin(input)
            .timeout(PATIENCE)
            .output()
            .unwrap();
        Run {
            stdout: without_times(&String::from_utf8(output.stdout).unwrap()),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code(),
        }
    }
}

/// Removes durations, which vary: that of the summary, and those of slow work on a busy machine.
fn without_times(text: &str) -> String {
    let strip = |line: &str| match line.rsplit_once(" (") {
        Some((rest, time)) if is_time(time.trim_end()) => {
            let is_summary = line.contains(" failed, ") || line.starts_with("Health: ");
            format!("{rest}{}\n", if is_summary { " (TIME)" } else { "" })
        }
        _ => line.to_owned(),
    };
    text.split_inclusive('\n').map(strip).collect()
}

/// Returns whether a text is the duration and the closing parenthesis of `(1.43s)` or `(2m 3s)`.
fn is_time(text: &str) -> bool {
    text.strip_suffix("s)").is_some_and(|time| {
        time.starts_with(|first: char| first.is_ascii_digit())
            && time.chars().all(|c| c.is_ascii_digit() || ". mhµ".contains(c))
    })
}

impl Run {
    pub(crate) fn out(self, expect: &str) -> Self {
        assert_eq!(self.stdout, expect, "standard error: {}", self.stderr);
        self
    }

    pub(crate) fn out_has(self, expect: &str) -> Self {
        assert!(self.stdout.contains(expect), "{expect:?} is not in {}{}", self.stdout, self.stderr);
        self
    }

    pub(crate) fn err(self, expect: &str) -> Self {
        assert_eq!(self.stderr, expect, "standard output: {}", self.stdout);
        self
    }

    pub(crate) fn err_has(self, expect: &str) -> Self {
        assert!(self.stderr.contains(expect), "{expect:?} is not in {}{}", self.stderr, self.stdout);
        self
    }

    pub(crate) fn code(self, expect: i32) -> Self {
        assert_eq!(self.code, Some(expect), "{}{}", self.stdout, self.stderr);
        self
    }
}
