//! What one run of a program costs: its time from start to end, and the most memory that it held.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, io};

use nix::sys::resource::{UsageWho, getrusage};

use crate::error::{BenchError, at};

/// What one run cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) elapsed: Duration,
    /// In KiB, as the kernel counts.
    pub(crate) peak_memory: u64,
}

/// Runs a program through a fresh, small process of this program.
///
/// On Linux the peak of a process starts at what its parent held when it was started, and the peak of all children
/// is one number. Started from here, a small program would be charged for the hundred thousand files in our memory.
pub(crate) fn measure(program: &Path, arguments: &[&Path]) -> Result<Cost, BenchError> {
    let this = env::current_exe().map_err(at(Path::new("this program")))?;
    let output = Command::new(&this)
        .arg("child")
        .arg(program)
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .map_err(at(&this))?;
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

/// The other side of [`measure`]: gives nanoseconds and KiB.
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
