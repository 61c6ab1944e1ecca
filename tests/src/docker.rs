//! The Docker engine of disposable hosts, and the names of objects that tests create in it.

use std::fmt;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The network of the hosts and of the image registry.
pub const NETWORK: &str = "converge-test";

/// The label of images that are created for registries.
pub const LABEL: &str = "converge-test";

/// The name prefix of containers, networks, volumes and images of tests.
///
/// The process id follows, so that objects of a killed process can be distinguished from those in use.
pub const PREFIX: &str = "converge-test-";

/// A failed Docker command.
#[derive(Debug)]
pub struct Failure {
    /// The command line, or a description of the operation.
    command: String,
    /// The error output, or the reason why the command did not start.
    reason: String,
}

impl Failure {
    /// Creates a failure from the operation and its reason.
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

/// Runs `docker` and returns its output without the final newline.
///
/// # Errors
///
/// The command cannot be started or fails.
pub fn docker(arguments: &[&str]) -> Result<String, Failure> {
    let output = Command::new("docker").args(arguments).stdin(Stdio::null()).output();
    finish(&shown(arguments), output)
}

/// Runs `docker` with this standard input.
///
/// # Errors
///
/// The command cannot be started or fails.
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

/// Runs a `bash` script with `pipefail` and these arguments as `$1` and so on.
///
/// `what` describes it in a failure.
///
/// # Errors
///
/// The script cannot be started or fails.
pub fn shell(description: &str, script: &str, arguments: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("bash");
    command.args(["-e", "-o", "pipefail", "-c", script, "bash"]).args(arguments).stdin(Stdio::null());
    finish(description, command.output())
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

/// Whether a Docker engine answers.
pub fn answers() -> bool {
    docker(&["version", "--format", "{{.Server.Version}}"]).is_ok()
}

/// Returns a container name that no other test or process uses.
pub fn unique(test: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{PREFIX}{}-{count}-{test}", std::process::id())
}

/// Removes the containers, networks, volumes and images whose name matches.
///
/// # Errors
///
/// The engine does not answer, or an object cannot be removed.
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

/// Removes the images that were created for registries, whatever their names.
///
/// These include images pulled from a registry, and images whose name another image has taken over.
///
/// # Errors
///
/// The engine does not answer, or an image cannot be removed.
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

/// Whether [`unique`] created the name in a process that no longer exists.
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
        // This process id is larger than the kernel allows.
        check("converge-test-4194305-0-name", true);
        check("converge-test-registry", false);
        check("converge-test", false);
        check("someone-4194305-0-name", false);
    }
}
