//! Shared code of the system tests.

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

/// Returns a command for cargo, [without](forget_package) the variables of the running package.
pub fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    forget_package(&mut command);
    command
}

/// Removes the variables that cargo sets for the package of a running program.
///
/// Some build scripts run again when these variables change, which would rebuild half of the workspace each
/// time.
pub fn forget_package(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        // `cargo xtask test` sets the last one, with which test programs report their times.
        let is_of_package = text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_");
        if is_of_package || text == "RUSTC_BOOTSTRAP" {
            command.env_remove(&name);
        }
    }
}

/// Wraps a program so that SIGHUP, SIGINT and SIGTERM have their default actions.
///
/// The tests may run with ignored signals, for example under `nohup` or in the background of a shell.
/// Programs inherit that.
pub fn with_default_signals(command: &Command) -> Command {
    let mut with_default = Command::new("env");
    // `env` replaces itself with the program, so the process is the same.
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

/// Whether the tests run as root.
///
/// A test that needs root calls [`skip`] otherwise.
pub fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// Reports that a test could not run, with the reason.
///
/// `cargo xtask test` lists these tests, and CI fails if there are any.
pub fn skip(test: &str, reason: &str) {
    eprintln!("skipped: {test}: {reason}");
    let Some(report) = std::env::var_os("CONVERGE_TEST_SKIP_REPORT") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(report);
    if let Ok(mut file) = file {
        // A single write prevents that lines of concurrent tests mix.
        let _ = file.write_all(format!("{test}: {reason}\n").as_bytes());
    }
}

/// Compiles the code examples of the README.
#[cfg(all(doctest, feature = "sdk"))]
#[doc = include_str!("../../README.md")]
struct Readme;
