//! The Docker engine that disposable hosts live in, through its command, and the names of what tests make in it.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The network of the hosts and of the image registry.
pub const NETWORK: &str = "converge-test";

/// The label of images that are made for registries.
pub const LABEL: &str = "converge-test";

/// What the names of containers, networks, volumes and images of tests begin with. What follows is the process that
/// made them, so that those of a process that was killed are told from those that are in use.
pub const PREFIX: &str = "converge-test-";

/// A command of Docker that did not succeed.
#[derive(Debug)]
pub struct Failure {
    /// The command as a person would type it, or what it was to do.
    command: String,
    /// What it said, or why it did not start.
    reason: String,
}

impl Failure {
    /// What was to be done, and why it was not.
    pub(crate) fn new(command: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { command: command.into(), reason: reason.into() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.command, self.reason)
    }
}

impl std::error::Error for Failure {}

/// Runs `docker` and gives what it printed, without the end of the last line.
///
/// # Errors
///
/// When it cannot be started, or does not succeed.
pub fn docker(arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new("docker").args(arguments).stdin(Stdio::null()).output();
    finish(&shown(arguments), output)
}

/// Runs `docker` with this on its standard input.
///
/// # Errors
///
/// When it cannot be started, or does not succeed.
pub fn docker_reads(input: &[u8], arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("docker");
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = command.spawn().and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input)?;
        }
        child.wait_with_output()
    });
    finish(&shown(arguments), output)
}

/// Runs a script of `bash`, which fails when any part of a pipe does, with these arguments as `$1` and so on. What it is
/// called is for the failure.
///
/// # Errors
///
/// When it cannot be started, or does not succeed.
pub fn shell(what: &str, script: &str, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script, "bash"]).args(arguments).stdin(Stdio::null());
    finish(what, command.output())
}

fn finish(command: &str, output: std::io::Result<Output>) -> Result<String, Failure> {
    let failure = |reason: String| Failure { command: command.to_owned(), reason };
    let output = output.map_err(|error| failure(error.to_string()))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
    } else {
        Err(failure(String::from_utf8_lossy(&output.stderr).trim_end().to_owned()))
    }
}

fn shown(arguments: &[&str]) -> String {
    format!("`docker {}`", arguments.join(" "))
}

/// Whether there is an engine.
pub fn answers() -> bool {
    docker(&["version", "--format", "{{.Server.Version}}"]).is_ok()
}

/// A name for a container of this test that no other test and no other process uses.
pub fn unique(test: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{count}-{test}", std::process::id())
}

/// Removes the containers, networks, volumes and images with a name that fits.
///
/// # Errors
///
/// When the engine does not answer, or keeps one of them.
pub fn remove(fits: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let kinds: [(&[&str], &[&str]); 4] = [
        (&["ps", "--all", "--format", "{{.Names}}"], &["rm", "--force", "--volumes"]),
        (&["network", "ls", "--format", "{{.Name}}"], &["network", "rm"]),
        (&["volume", "ls", "--format", "{{.Name}}"], &["volume", "rm", "--force"]),
        (&["images", "--format", "{{.Repository}}:{{.Tag}}"], &["rmi", "--force"]),
    ];
    for (list, remove) in kinds {
        let names = docker(list)?;
        let names: Vec<&str> = names.lines().filter(|name| fits(name)).collect();
        if !names.is_empty() {
            docker(&[remove, names.as_slice()].concat())?;
        }
    }
    Ok(())
}

/// Removes the images that were made for registries, whatever their names: also those that were pulled from one, and those
/// whose name another image has taken over.
///
/// # Errors
///
/// When the engine does not answer, or keeps one of them.
pub fn remove_images() -> Result<(), Failure> {
    let listed = docker(&["images", "--quiet", "--no-trunc", "--filter", &format!("label={LABEL}")])?;
    let mut images: Vec<&str> = listed.lines().collect();
    images.sort_unstable();
    images.dedup();
    if images.is_empty() {
        return Ok(());
    }
    docker(&[&["rmi", "--force"], images.as_slice()].concat()).map(drop)
}

/// Whether a name was made by [`unique`] in a process that is no more.
pub fn is_left_over(name: &str) -> bool {
    let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next());
    let process = process.filter(|process| process.parse::<u32>().is_ok());
    process.is_some_and(|process| !Path::new("/proc").join(process).exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_over() {
        #[track_caller]
        fn check(name: &str, expect: bool) {
            assert_eq!(is_left_over(name), expect, "{name}");
        }
        check(&unique("name"), false);
        // More than the kernel ever gives.
        check("converge-test-4194305-0-name", true);
        check("converge-test-registry", false);
        check("converge-test", false);
        check("someone-4194305-0-name", false);
    }
}
