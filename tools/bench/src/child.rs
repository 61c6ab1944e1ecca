//! The cost of one run of a program: its duration and its peak memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

use nix::sys::resource::{UsageWho, getrusage};

use crate::error::{BenchError, at};

/// The cost of one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) elapsed: Duration,
    /// The peak memory in KiB, as the kernel counts it.
    pub(crate) peak_memory: u64,
}

/// Runs a program through a fresh, small process of this program.
///
/// On Linux, the peak memory of a process starts at the memory of its parent, and the kernel reports one
/// number for all children. A small program started from here would be charged for the hundred thousand files
/// in our memory.
pub(crate) fn measure(program: &Path, arguments: &[&Path]) -> Result<Cost, BenchError> {
    let executable = env::current_exe().map_err(at(Path::new("this program")))?;
    let output = Command::new(&executable)
        .arg("child")
        .arg(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(at(&executable))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Option<(u64, u64)> = output.status.success().then_some(()).and_then(|()| {
        let (nanoseconds, kibibytes) = text.trim().split_once(' ')?;
        Some((nanoseconds.parse().ok()?, kibibytes.parse().ok()?))
    });
    let (nanoseconds, peak_memory) = numbers.ok_or_else(|| BenchError::WrongResult {
        step: "process",
        expected: format!("success of {}", program.display()),
        got: format!("{} {text}", output.status),
    })?;
    Ok(Cost { elapsed: Duration::from_nanos(nanoseconds), peak_memory })
}

/// Runs the command in the child process of [`measure`] and returns nanoseconds and KiB.
pub(crate) fn run(command: &[String]) -> Result<(u128, i64), BenchError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(BenchError::MissingCommand);
    };
    let program_path = Path::new(program);
    let start = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(at(program_path))?;
    let elapsed = start.elapsed();
    if !status.success() {
        return Err(at(program_path)(io::Error::other(status.to_string())));
    }
    Ok((elapsed.as_nanos(), getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss()))
}
