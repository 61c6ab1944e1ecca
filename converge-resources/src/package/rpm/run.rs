//! Runs of package managers, without questions, and with waiting for locks of other programs.

use std::time::Duration;

use converge_sdk::prelude::*;
use converge_sdk::system::{Command, Exit};

use super::error::{RpmError, explain, is_noise};
use super::lock;
use super::tool::PackageManager;
use crate::package::lock_timeout::LockTimeout;
use crate::package::output::OutputTail;

/// The lock of a package manager itself, as messages name it.
const OWN_LOCK: &str = "of the package manager";

/// Runs a package manager, and returns its warnings.
pub(super) async fn run(
    cx: &Context,
    tool: PackageManager,
    arguments: Vec<String>,
    lock_timeout: Duration,
) -> Result<Vec<String>> {
    let mut timeout = LockTimeout::new(lock_timeout);
    loop {
        let held_lock = match lock::held(cx).await? {
            Some(held_lock) => held_lock,
            None => match once(cx, tool, &arguments).await? {
                Ok(warnings) => return Ok(warnings),
                Err(holder) => lock::HeldLock { path: OWN_LOCK.to_owned(), holder },
            },
        };
        if !timeout.wait(cx).await? {
            let (lock, holder, after) = (held_lock.path, held_lock.holder, timeout.limit());
            return Err(Error::other(RpmError::Locked { lock, holder, after }));
        }
    }
}

/// Runs a read-only command of a package manager, and returns its output.
pub(super) async fn look(cx: &Context, tool: PackageManager, arguments: &[String]) -> Result<String> {
    let mut command = Command::new(tool.program()).args(arguments);
    command.env.extend(environment());
    command.timeout = cx.remaining();
    let output = cx.system().processes().run(command).await?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.exit.success() {
        let command_line = format!("{} {}", tool.program(), arguments.join(" ")).replace('\n', "");
        return Err(Error::other(explain(tool, &command_line, "", &stderr)));
    }
    Ok(stdout.into_owned())
}

fn environment() -> impl Iterator<Item = (String, String)> {
    let variables = [("LC_ALL", "C.UTF-8"), ("LANGUAGE", ""), ("PAGER", "cat")];
    variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()))
}

/// Runs the command once. The inner error is the holder of a lock that it needs.
async fn once(
    cx: &Context,
    tool: PackageManager,
    arguments: &[String],
) -> Result<Result<Vec<String>, String>> {
    let command_line = || format!("{} {}", tool.program(), arguments.join(" "));
    let mut command = Command::new(tool.program()).args(arguments);
    command.env.extend(environment());
    command.timeout = cx.remaining();
    let limit = command.timeout.unwrap_or_default();
    let output = cx.progress().run(command).await?;
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.exit.success() {
        return Ok(Ok(warnings(&stderr)));
    }
    if output.exit == Exit::TimedOut {
        let output = OutputTail::from_lines(stdout.lines().chain(stderr.lines()));
        return Err(Error::other(RpmError::TimedOut { command: command_line(), after: limit, output }));
    }
    match tool.lock_holder(&stdout, &stderr) {
        Some(holder) => Ok(Err(holder)),
        None => Err(Error::other(explain(tool, &command_line(), &stdout, &stderr))),
    }
}

/// Returns warnings of a successful run, such as scripts that failed after an installation.
fn warnings(stderr: &str) -> Vec<String> {
    let complains = |line: &str| line.contains("scriptlet failed") || line.contains("lua script failed");
    stderr
        .lines()
        .map(str::trim)
        .filter(|line| !is_noise(line) && complains(line))
        .map(str::to_owned)
        .collect()
}
