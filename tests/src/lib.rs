//! What the tests of the whole system share.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it skips"
)]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

#[cfg(feature = "sdk")]
mod command;
mod command_output;
pub mod docker;
pub mod documents;
pub mod etcd;
pub mod guest;
pub mod host;
pub mod json_schema;
pub mod mistakes;
pub mod openmetrics;
pub mod pages;
#[cfg(feature = "sdk")]
pub mod plugins;
#[cfg(feature = "sdk")]
pub mod poll_time;
mod programs;
pub mod published_crates;
#[cfg(feature = "sdk")]
pub mod scenarios;

#[cfg(feature = "sdk")]
pub use command::{converge, run, states};
pub use command_output::Said;
pub use programs::programs;

/// The root of the workspace.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is a folder in the workspace")
}

/// The cargo that this was built with, which [knows nothing](forget_package) of the package of the program that runs it.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    forget_package(&mut command);
    command
}

/// Takes out of the environment of a command that runs cargo what cargo tells a program that it runs about the package of that
/// program: there are build scripts which run again when they are told of another one, and then half of the workspace is built
/// again, each time.
pub fn forget_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
}

/// The same program, to which SIGHUP, SIGINT and SIGTERM mean what they usually do. Whoever runs the tests may have had one
/// ignored, as `nohup` does, and as shells do for what is in the background, and programs inherit that.
pub fn with_default_signals(command: &Command) -> Command {
    let mut with_default = Command::new("env");
    // It becomes the program, so the process is the same.
    with_default.arg("--default-signal=HUP,INT,TERM").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => with_default.env(name, value),
            None => with_default.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        with_default.current_dir(folder);
    }
    with_default
}

/// Whether the tests run as root. What needs it calls [`skip`] otherwise.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// Says that a test could not run here, and why. `cargo xtask test` lists these, and CI fails when there is any.
pub fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(report);
    if let Ok(mut file) = file {
        // One write, so that lines of tests that run at once do not mix.
        let _ = file.write_all(format!("{test}: {reason}\n").as_bytes());
    }
}

/// Compiles the code of the README.
#[cfg(all(doctest, feature = "sdk"))]
#[doc = include_str!("../../README.md")]
struct Readme;
