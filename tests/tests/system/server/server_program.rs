//! Tests of how `converge` finds the server program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use converge_tests::{Said, programs};
use tempfile::TempDir;

use crate::run::private;

/// A `converge` program without any other program in its folder.
struct Alone(TempDir);

impl Alone {
    fn new() -> Self {
        // A hard link to the program must be on the same file system.
        let folder = private();
        fs::hard_link(programs().join("converge"), folder.path().join("converge")).unwrap();
        Self(folder)
    }

    fn command(&self, path: &Path) -> Command {
        let mut command = Command::new(self.0.path().join("converge"));
        command.env("PATH", path);
        command
    }
}

#[test]
fn where_it_is_absent_the_command_says_how_to_get_it() {
    let (alone, empty) = (Alone::new(), tempfile::tempdir().unwrap());
    for arguments in [&["server", "--dev"][..], &["top"], &["controllers", "graph"], &["server", "--help"]] {
        let output = Said::from(alone.command(empty.path()).args(arguments).output().unwrap());
        assert_eq!(output.code, Some(1), "{}", output.everything());
        let expect = format!(
            "error: this command is in the program `converge-server`, which is neither in {} nor in PATH: build it with `cargo \
             build -p converge-server`",
            alone.0.path().display()
        );
        assert!(output.stderr.contains(&expect), "{}", output.everything());
    }
    let output = Said::from(alone.command(empty.path()).arg("version").output().unwrap());
    assert_eq!(output.code, Some(0), "{}", output.everything());
}

#[test]
fn it_is_run_in_place_of_the_command() {
    let (alone, path) = (Alone::new(), tempfile::tempdir().unwrap());
    let program = path.path().join("converge-server");
    fs::write(&program, "#!/bin/sh\necho $$ \"$@\"\nexit 7\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = alone.command(path.path());
    command.args(["--color", "never", "server", "--http", "x y", "-v", "--help"]);
    let child = command.stdout(Stdio::piped()).spawn().unwrap();
    let process = child.id();
    let output = Said::from(child.wait_with_output().unwrap());
    // The process stays the same, so signals reach the server; all arguments and the exit code are passed on.
    assert_eq!(output.stdout, format!("{process} --color never server --http x y -v --help\n"));
    assert_eq!(output.code, Some(7));
}
